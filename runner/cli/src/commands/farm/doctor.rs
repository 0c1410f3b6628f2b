//! `farmjank farm doctor`: proves a farm from where it is asked: who answers, who is let in, what is kept and how, and
//! what these credentials may do there. What it leaves it takes away again.

mod checks;

use crate::args::{FarmDoctorArgs, FarmRole};
use crate::farm::{bucket, opened};
use crate::host::Streams;
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use farmjank_farm::nats::Nats;
use farmjank_farm::roles::Role;
use farmjank_farm::subjects::{Names, word};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_shifts::note::listed;

/// Longest line, characters.
const WIDE: usize = 400;

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Well,
    Doubtful,
    Wrong,
}

/// What is said, and whether anything was wrong.
struct Findings {
    unicode: bool,
    wrong: bool,
}

impl Findings {
    fn say(&mut self, is: Is, what: &str) {
        let mark = match (is, self.unicode) {
            (Is::Well, true) => "✓",
            (Is::Well, false) => "ok",
            (Is::Doubtful, _) => "!",
            (Is::Wrong, true) => "✗",
            (Is::Wrong, false) => "!!",
        };
        self.wrong |= is == Is::Wrong;
        Streams.out(&format!("{mark} {}\n", line(what, WIDE)));
    }

    /// What a check came to; credentials that may not be asked for it are no fault of the farm, nor proof.
    fn checked(&mut self, what: &str, role: Option<FarmRole>, came: Result<String, Fault>) {
        let writes = matches!(role, Some(FarmRole::Agent | FarmRole::Run));
        match came {
            Ok(words) => self.say(Is::Well, &words),
            Err(fault) if fault.code == FaultCode::FarmRefused && !writes => {
                self.say(Is::Doubtful, &format!("{what}: not tried, for these credentials may not"));
            }
            Err(fault) => self.say(Is::Wrong, &format!("{what}: {fault}")),
        }
    }
}

/// Examines; whether nothing is wrong.
///
/// # Errors
/// `usage`, and no farm answers, or it lets nobody in.
pub async fn run(args: &FarmDoctorArgs, terminal: Terminal) -> Result<bool, Fault> {
    let names = Names::of(&args.of.team)?;
    args.host.as_deref().map(|host| word("host", host)).transpose()?;
    let nats = opened(&args.farm, &args.of, "doctor", true).await?;
    let mut findings = Findings { unicode: terminal.unicode, wrong: false };
    checks::server(&nats, &args.farm, &mut findings);
    checks::store(&nats, &mut findings).await?;
    if args.of.farm_storage.is_some() && args.role == Some(FarmRole::Operator) {
        nats.upkeep().bound().await?;
    }
    checks::room(&nats, &names, &mut findings).await?;
    let (spans, clocks) = checks::times(&nats).await?;
    findings.say(Is::Well, &spans);
    findings.say(Is::Well, &clocks);
    if let Some(url) = &args.monitor {
        let (is, words) = checks::synced(url).await?;
        findings.say(is, &words);
    }
    // Who only reads, or has to do with streams alone, leaves nothing.
    if !matches!(args.role, Some(FarmRole::Viewer | FarmRole::Keeper | FarmRole::Operator)) {
        findings.checked("an object", args.role, checks::object(&nats).await);
        if let Some(bucket) = bucket(&args.of)? {
            findings.checked("a large object", args.role, checks::large_object(&bucket).await);
        }
        findings.checked("a lease", args.role, checks::lease(&nats).await);
    }
    let asks = nats.examined().server().asks;
    match role(args, &names, &nats).await {
        Some(role) if asks => checks::rights(&nats, &role, &mut findings).await?,
        Some(_) => {}
        None => findings.say(
            Is::Doubtful,
            "what these credentials may do: say which they are (--role) to have it held against that",
        ),
    }
    Ok(!findings.wrong)
}

/// What the credentials are to be.
async fn role(args: &FarmDoctorArgs, names: &Names, nats: &Nats) -> Option<Role> {
    Some(match args.role? {
        FarmRole::Agent => Role::Agent(names.clone(), args.host.clone().unwrap_or_default()),
        FarmRole::Run => {
            // Work of hosts that are not there is not asked for.
            let hosts = listed(nats, names.team()).await.unwrap_or_default();
            Role::Run(names.clone(), hosts.into_iter().map(|host| host.name).collect())
        }
        FarmRole::Viewer => Role::Viewer(names.clone()),
        FarmRole::Keeper => Role::Keeper(vec![names.clone()]),
        FarmRole::Operator => Role::Operator(vec![names.clone()]),
    })
}
