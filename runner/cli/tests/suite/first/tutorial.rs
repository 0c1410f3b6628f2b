//! The tutorial, typed as it stands: one reader, one folder, its pages in order. Every command ends as its comment says
//! (0 where there is none), and prints what is shown below it; pages for each role name only commands there are.
//!
//! Must not know: what any of the commands does.

use crate::world::{farmjank, run};
use farmjank_witnesses::ports::free_port;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
/// The pages in the order of a reader, each with the port it writes down, if one.
const PAGES: [(&str, &str); 5] =
    [("lab", ""), ("phone", "15037"), ("gate", ""), ("nights", ""), ("hosts", "4222")];
/// What the shell prints between commands, and no program does.
const MARK: char = '\u{1e}';

fn page(name: &str) -> String {
    let path = Path::new(DOCS).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Blocks of a page with the word behind their fence.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// One command as it is typed, and how it may end.
struct Typed {
    text: String,
    codes: Vec<i32>,
}

/// The commands of a block: a line each, with what is fed to it where it says `<<'WORD'`.
fn typed(block: &str) -> Vec<Typed> {
    let mut lines = block.lines();
    let mut all = Vec::new();
    while let Some(line) = lines.next() {
        let mut text = line.to_owned();
        if let Some(word) = line.split("<<'").nth(1).and_then(|rest| rest.split('\'').next()) {
            for fed in lines.by_ref() {
                text.push_str(&format!("\n{fed}"));
                if fed == word {
                    break;
                }
            }
        }
        let said = line.split("# exit ").nth(1).map_or("0", |rest| rest.split(':').next().unwrap_or(rest));
        let codes = said.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        all.push(Typed { text, codes });
    }
    all
}

/// Everything a page has typed, with a mark and the exit code behind each. What stays in the background is waited for
/// until it listens, and ended at the end.
fn script(commands: &[Typed], port: &str) -> String {
    let mut script = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n".to_owned();
    for command in commands {
        script.push_str(&format!("{}\nprintf '{MARK}%s{MARK}' $?\n", command.text));
        if command.text.split(" #").next().unwrap_or_default().trim_end().ends_with(" &") {
            let listens = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null");
            script.push_str(&format!("for _ in $(seq 600); do {listens} && break; sleep 0.1; done\n"));
        }
    }
    script
}

/// The folder a reader's shell looks for programs in: this farmjank, and the server of farms where it is named.
fn programs(folder: &Path) -> (PathBuf, bool) {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_farmjank"), bin.join("farmjank")).expect("a link");
    let server = std::env::var_os("FARMJANK_TEST_NATS_SERVER");
    if let Some(server) = &server {
        std::os::unix::fs::symlink(server, bin.join("nats-server")).expect("a link");
    }
    assert!(server.is_some() || std::env::var_os("CI").is_none(), "CI must name a server of farms");
    (bin, server.is_some())
}

/// Types the blocks of a page into one shell in `here`, and holds what comes out against what the page shows.
fn read(name: &str, port: &str, here: &Path, bin: &Path) {
    let text = page(&format!("tutorial/{name}.md"));
    let free = free_port().to_string();
    let text = if port.is_empty() { text } else { text.replace(port, &free) };
    let blocks = blocks(&text);
    let commands: Vec<Typed> =
        blocks.iter().filter(|(word, _)| *word == "sh").flat_map(|(_, block)| typed(block)).collect();
    // The environment of every test, and nothing of this one's.
    let tame = farmjank(here);
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &script(&commands, &free)]).current_dir(here).stdin(Stdio::null());
    for (variable, value) in tame.get_envs() {
        match value {
            Some(value) => shell.env(variable, value),
            None => shell.env_remove(variable),
        };
    }
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = shell.env("PATH", path.expect("a path")).output().expect("bash starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut parts = said.split(MARK);
    let mut commands = commands.iter();
    let mut block_said = String::new();
    for (word, block) in blocks {
        if word == "text" {
            shown(name, block, &block_said);
            continue;
        }
        assert_eq!(word, "sh", "{name}: what is typed is `sh`, what is shown `text`");
        block_said.clear();
        for command in commands.by_ref().take(typed(block).len()) {
            let out = parts.next().unwrap_or_default();
            let code = parts.next().and_then(|code| code.parse::<i32>().ok());
            let ends = code.is_some_and(|code| command.codes.contains(&code));
            assert!(ends, "{name}: `{}` ended with {code:?}, not {:?}\n{out}", command.text, command.codes);
            block_said.push_str(out);
        }
    }
}

/// Whether the pieces between `…` of what a page shows were said in their order.
fn shown(name: &str, block: &str, said: &str) {
    let mut rest = said;
    for piece in block.split('…').map(|piece| piece.trim_matches('\n')).filter(|piece| !piece.is_empty()) {
        let at =
            rest.find(piece).unwrap_or_else(|| panic!("{name} shows\n{piece}\nand this was said:\n{rest}"));
        rest = &rest[at + piece.len()..];
    }
}

#[test]
fn the_tutorial_read_from_its_first_page_to_its_last_ends_and_prints_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bin, has_server) = programs(folder.path());
    let shop = folder.path().join("shop");
    for (name, port) in PAGES {
        if name == "hosts" && !has_server {
            println!("skipped: the page of hosts, without FARMJANK_TEST_NATS_SERVER");
            continue;
        }
        // The first page makes the folder and goes there; the next ones are read in it.
        read(name, port, if shop.is_dir() { &shop } else { folder.path() }, &bin);
    }
    assert!(shop.join("scenarios/home-feed.yaml").is_file());
}

#[test]
fn every_page_of_the_tutorial_is_read_and_leads_to_the_next() {
    let mut there: Vec<String> = std::fs::read_dir(Path::new(DOCS).join("tutorial"))
        .expect("pages")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort();
    let mut known: Vec<String> = PAGES.iter().map(|(name, _)| format!("{name}.md")).collect();
    known.sort();
    assert_eq!(there, known);
    for next in PAGES.windows(2) {
        let [(name, _), (next, _)] = next else { continue };
        let text = page(&format!("tutorial/{name}.md"));
        assert!(text.trim_end().ends_with(&format!("]({next}.md).")), "{name} does not lead to {next}");
    }
}

#[test]
fn pages_for_each_role_name_only_commands_and_flags_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut count = 0;
    for entry in std::fs::read_dir(Path::new(DOCS).join("roles")).expect("pages") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a page");
        for command in text.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("farmjank ")) {
            let words: Vec<&str> = command.split(' ').collect();
            let verbs = words.iter().take_while(|word| !word.starts_with('-')).copied();
            let asked: Vec<&str> = verbs.chain(["--help"]).collect();
            let help = run(folder.path(), &asked);
            // An unknown word behind a verb that takes paths would be one of them.
            let named = format!("Usage: farmjank {} ", asked[..asked.len() - 1].join(" "));
            assert!(help.code == 0 && help.out.contains(&named), "`farmjank {command}`: {}", help.err);
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                let told = help.out.split([' ', '[', '=', '\n']).any(|word| word == *flag);
                assert!(told, "`farmjank {command}` has no {flag}");
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count} commands");
}

#[test]
fn a_page_that_promises_something_else_is_found() {
    let all = typed("farmjank a   # exit 0, 1 or 4: as it is\ncat > x <<'END'\nb\nEND\nc &\n");
    let codes: Vec<&[i32]> = all.iter().map(|one| &one.codes[..]).collect();
    assert_eq!(codes, [&[0, 1, 4][..], &[0], &[0]]);
    assert_eq!(all[1].text, "cat > x <<'END'\nb\nEND");
    let said = "first\n✗ fail  fling\nlast\n";
    shown("page", "…\n✗ fail  fling\n…\n", said);
    shown("page", "first\n…\nla…\n", said);
    for wrong in ["last\n…\nfirst\n", "✓ pass  fling\n", "first\nlast\n"] {
        assert!(std::panic::catch_unwind(|| shown("page", wrong, said)).is_err(), "{wrong}");
    }
}
