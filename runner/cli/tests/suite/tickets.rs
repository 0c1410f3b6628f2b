//! `farmjank tickets`: over nights of the lab and models of the systems behind real sockets, with faults by plan.

mod faults;
mod github;
mod gitlab;
mod jira;
mod nights;
mod others;

use crate::server::{Model, Server};
use crate::world::{Ended, ended, farmjank, run, write};
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tickets.md");

/// The page shows below this command what was printed; `FARMJANK_BLESS=1` writes it there.
pub fn shows(command: &str, printed: &str) {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(&format!("```\n$ {command}\n")).expect("the page shows the command");
    let (shown, after) = rest.split_once("```\n").expect("the end of a block");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(PAGE, format!("{before}```\n$ {command}\n{printed}```\n{after}")).expect("the page");
        return;
    }
    assert_eq!(printed, shown, "{printed}");
}

/// Nobody's token.
pub const TOKEN: &str = "ghp_Zk3farmjankTestToken0000";

/// A build with a lock in it, and one without.
pub const LOCKED: &str = "{ kind: inflate }, { kind: lock, meanwhile: disk }";
pub const PLAIN: &str = "{ kind: inflate }";

/// A phone whose feed has late frames for these causes, with a build of this version code.
pub fn lab(causes: &str, code: u32) -> String {
    format!(
        "
name: builds
phones:
  - {{ archetype: pixel-8, serial: P8, apps: [ {{ id: com.example.shop, version: 7.{code}, version_code: {code}, pages: {{
      main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }},
      feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.08, causes: [ {causes} ] }} }} }} ] }}
"
    )
}

const SCENARIO: &str = "
name: Shop
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 8, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

/// A night with a build, into a folder of that name and the store `h.sqlite`.
pub fn night(folder: &Path, out: &str, causes: &str, code: u32, seed: u32) {
    let (name, seed) = (format!("{out}.yaml"), seed.to_string());
    write(folder, &name, &lab(causes, code));
    write(folder, "s.yaml", SCENARIO);
    let args = [
        "run",
        "s.yaml",
        "--lab",
        &name,
        "--seed",
        &seed,
        "--out",
        out,
        "--quiet",
        "--causes=each",
        "--history",
        "h.sqlite",
    ];
    let ended = run(folder, &args);
    assert!(ended.code == 0, "{}{}", ended.out, ended.err);
}

/// Tickets of a run on a server, by a token of this variable.
pub fn tickets<M: Model>(
    folder: &Path,
    server: &Server<M>,
    to: (&str, &str),
    run: &str,
    more: &[&str],
) -> Ended {
    let (variable, to) = to;
    let mut command = farmjank(folder);
    command.env(variable, TOKEN);
    let args = ["tickets", run, "--to", to, "--url", &server.url, "--store", "h.sqlite", "--timeout", "2s"];
    let ended = ended(command.args(args).args(more));
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains(TOKEN), "the token is in {text}");
    }
    let journal = folder.join(run).join("tickets.ndjson");
    if journal.exists() {
        let journal = std::fs::read_to_string(journal).expect("a journal");
        assert!(!journal.contains(TOKEN), "the token is in {journal}");
    }
    ended
}

/// The same on the model of GitHub.
pub fn on_github(folder: &Path, server: &Server<github::GitHub>, run: &str, more: &[&str]) -> Ended {
    tickets(folder, server, ("GITHUB_TOKEN", "github:acme/shop"), run, more)
}
