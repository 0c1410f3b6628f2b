//! Who may do what on a farm: for each role the subjects it may write on and ask by, and where it hears answers. This
//! is the only list: servers are told it ([`crate::roster`]), a doctor and the tests hold servers to it.
//!
//! A subject can bind no more than its parts say. A lease, a message and a purge are asked for by a question whose body
//! says which: who may ask for one of a stream may ask for all of it. So nobody may purge, change or take away a
//! stream but who runs the server, and what may be read is a whole stream. Must not know: servers, keys' seeds.

use crate::subjects::{Names, escaped};
use farmjank_results::fault::Fault;
use std::collections::BTreeSet;

/// What somebody is on a farm, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Measures on one host: takes its work, holds its lease, writes its lines.
    Agent(Names, String),
    /// Conducts runs of a team over these hosts, and makes what the store lost.
    Run(Names, Vec<String>),
    /// Looks at a team's farm, and reads what its runs came to.
    Viewer(Names),
    /// Makes what the store holds of these teams, and reads nothing.
    Keeper(Vec<Names>),
    /// Runs the server: makes, bounds, reads, empties and takes away what the store holds of these teams.
    Operator(Vec<Names>),
}

/// What a role may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Subjects it may write on or ask by.
    pub publish: Vec<String>,
    /// Subjects it may hear.
    pub subscribe: Vec<String>,
}

/// Where the answers to the holder of a key come: a place of its own, or everybody would read along.
pub fn inbox(key: &str) -> String {
    format!("_INBOX.{key}")
}

fn api(what: &str) -> String {
    format!("$JS.API.{what}")
}

/// The streams of a team, those of the whole farm first.
fn streams(team: &Names) -> [String; 4] {
    [Names::WORK.to_owned(), Names::LEASES.to_owned(), team.logs(), team.objects()]
}

/// Reads a stream from somewhere on, by a filter: with a name the filter is a part of the subject.
fn reads_on(stream: &str, filter: &str) -> [String; 2] {
    [api(&format!("CONSUMER.CREATE.{stream}.*.{filter}")), api(&format!("CONSUMER.MSG.NEXT.{stream}.*"))]
}

/// Asks for single messages of a stream; which, stands in the question.
fn reads(stream: &str) -> String {
    api(&format!("STREAM.MSG.GET.{stream}"))
}

fn asks_how(stream: &str) -> String {
    api(&format!("STREAM.INFO.{stream}"))
}

fn makes(stream: &str) -> String {
    api(&format!("STREAM.CREATE.{stream}"))
}

/// What agents and runs of a team do alike.
fn of_both(team: &Names) -> Vec<String> {
    let mut all = vec![team.object("*", "*"), team.lease("doctor.*")];
    all.extend(streams(team).iter().map(|stream| asks_how(stream)));
    all.extend([Names::LEASES, &team.logs(), &team.objects()].map(reads));
    all.extend(reads_on(&team.logs(), &format!("fj.log.{}.>", team.team())));
    all
}

fn of_agent(team: &Names, host: &str) -> Vec<String> {
    let (stream, work) = (Names::WORK, Names::work(host));
    let mut all = of_both(team);
    all.extend([
        team.lease(&format!("agent.{host}")),
        team.logs_of(&escaped(host)),
        api(&format!("CONSUMER.CREATE.{stream}.{host}.{work}")),
        api(&format!("CONSUMER.MSG.NEXT.{stream}.{host}")),
        format!("$JS.ACK.{stream}.{host}.>"),
        // As servers with domains name it.
        format!("$JS.ACK.*.*.{stream}.{host}.>"),
    ]);
    all
}

fn of_run(team: &Names, hosts: &[String]) -> Vec<String> {
    let mut all = of_both(team);
    all.extend([team.lease("run.*"), team.all_logs()]);
    all.extend(hosts.iter().map(|host| Names::work(host)));
    all.extend(streams(team).iter().map(|stream| makes(stream)));
    all.extend(reads_on(Names::LEASES, &team.lease("agent.*")));
    all
}

fn of_viewer(team: &Names) -> Vec<String> {
    let kept = [Names::LEASES, &team.objects(), &team.logs()];
    let mut all: Vec<String> = kept.iter().flat_map(|stream| [asks_how(stream), reads(stream)]).collect();
    all.extend(reads_on(Names::LEASES, &team.lease("agent.*")));
    all.extend(reads_on(&team.logs(), &format!("fj.log.{}.>", team.team())));
    all
}

fn of_keeper(teams: &[Names]) -> Vec<String> {
    let all: BTreeSet<String> = teams.iter().flat_map(streams).collect();
    all.iter().flat_map(|stream| [asks_how(stream), makes(stream)]).collect()
}

/// Everything that the tools of NATS ask of a stream, what `farm gc` reads, and nothing else.
fn of_operator(teams: &[Names]) -> Vec<String> {
    let all: BTreeSet<String> = teams.iter().flat_map(streams).collect();
    let on_each = ["CREATE", "INFO", "UPDATE", "PURGE", "DELETE", "MSG.GET", "MSG.DELETE"];
    let on_each = all.iter().flat_map(|stream| on_each.map(|what| api(&format!("STREAM.{what}.{stream}"))));
    let logs = teams.iter().flat_map(|team| reads_on(&team.logs(), &format!("fj.log.{}.>", team.team())));
    let hosts = teams.iter().flat_map(|team| reads_on(Names::LEASES, &team.lease("agent.*")));
    let read: BTreeSet<String> = logs.chain(hosts).collect();
    on_each.chain(read).chain(["INFO", "STREAM.NAMES", "STREAM.LIST"].map(api)).collect()
}

/// What an administrator can do to a stream, and nobody else on a farm may.
fn of_nobody(stream: &str) -> Vec<String> {
    let on_streams = [
        "STREAM.DELETE",
        "STREAM.UPDATE",
        "STREAM.PURGE",
        "STREAM.MSG.DELETE",
        "STREAM.SNAPSHOT",
        "STREAM.RESTORE",
        "STREAM.LEADER.STEPDOWN",
        "CONSUMER.CREATE",
        "CONSUMER.NAMES",
        "CONSUMER.LIST",
        "DIRECT.GET",
    ];
    let on_readers = ["CONSUMER.DELETE", "CONSUMER.PAUSE", "CONSUMER.INFO", "CONSUMER.DURABLE.CREATE"];
    let on_streams = on_streams.iter().map(|what| api(&format!("{what}.{stream}")));
    on_streams.chain(on_readers.iter().map(|what| api(&format!("{what}.{stream}.x")))).collect()
}

impl Role {
    /// What it may do, for whoever has this key.
    pub fn rights(&self, key: &str) -> Rights {
        let publish = match self {
            Role::Agent(team, host) => of_agent(team, host),
            Role::Run(team, hosts) => of_run(team, hosts),
            Role::Viewer(team) => of_viewer(team),
            Role::Keeper(teams) => of_keeper(teams),
            Role::Operator(teams) => of_operator(teams),
        };
        // Tools of others listen where they always do.
        let hears = if matches!(self, Role::Operator(_)) { "_INBOX".to_owned() } else { inbox(key) };
        Rights { publish, subscribe: vec![format!("{hears}.>")] }
    }

    /// One subject for each thing it may do.
    pub fn may(&self) -> Vec<String> {
        self.rights("").publish.iter().map(|pattern| sample(pattern)).collect()
    }

    /// One subject for each thing that others may do and it may not, and for what nobody may.
    pub fn must_not(&self, others: &[Role]) -> BTreeSet<String> {
        let own = self.rights("");
        let teams = others.iter().chain([self]).flat_map(Role::teams);
        let of_nobody = teams.flat_map(streams).flat_map(|stream| of_nobody(&stream));
        let of_all = ["INFO", "STREAM.LIST", "STREAM.NAMES", "STREAM.CREATE.OTHER"].map(api);
        let all = others.iter().flat_map(Role::may).chain(of_nobody).chain(of_all);
        all.filter(|subject| !own.may_publish(subject)).collect()
    }

    fn teams(&self) -> &[Names] {
        match self {
            Role::Agent(team, _) | Role::Run(team, _) | Role::Viewer(team) => std::slice::from_ref(team),
            Role::Keeper(teams) | Role::Operator(teams) => teams,
        }
    }
}

/// Everybody else there could be on a farm, from where a team stands: its other hosts, and another team with its own.
///
/// # Errors
/// None of these words can be a name.
pub fn strangers(team: &Names) -> Result<Vec<Role>, Fault> {
    let (other, host) = (Names::of("another-team")?, "another-host".to_owned());
    Ok(vec![
        Role::Agent(team.clone(), host.clone()),
        Role::Run(team.clone(), vec![host.clone()]),
        Role::Keeper(vec![team.clone(), other.clone()]),
        Role::Agent(other.clone(), host.clone()),
        Role::Run(other.clone(), vec![host]),
        Role::Viewer(other),
    ])
}

impl Rights {
    /// Whether it may write on a subject.
    pub fn may_publish(&self, subject: &str) -> bool {
        self.publish.iter().any(|pattern| is_within(pattern, subject))
    }
}

/// Whether a subject is one of a pattern: `*` is any part, `>` the rest.
fn is_within(pattern: &str, subject: &str) -> bool {
    let (mut wanted, mut parts) = (pattern.split('.'), subject.split('.'));
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) | (Some(">"), Some(_)) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
}

/// A subject of a pattern.
fn sample(pattern: &str) -> String {
    let parts: Vec<&str> =
        pattern.split('.').map(|part| if matches!(part, "*" | ">") { "x" } else { part }).collect();
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(name: &str) -> Names {
        Names::of(name).expect("a word")
    }

    #[test]
    fn a_pattern_is_what_a_server_takes_it_for() {
        for (pattern, subject, is) in [
            ("a.*.c", "a.b.c", true),
            ("a.*.c", "a.b.d", false),
            ("a.*", "a", false),
            ("a.*", "a.b.c", false),
            ("a.>", "a.b.c", true),
            ("a.>", "a", false),
            ("a.b", "a.b.c", false),
        ] {
            assert_eq!(is_within(pattern, subject), is, "{pattern} {subject}");
        }
    }

    #[test]
    fn nobody_may_take_a_stream_away_change_it_or_empty_it() {
        let all = strangers(&team("pay")).expect("words");
        for role in &all {
            let must_not = role.must_not(&all);
            for what in ["DELETE", "UPDATE", "PURGE", "MSG.DELETE"] {
                for stream in role.teams().iter().flat_map(streams) {
                    assert!(must_not.contains(&format!("$JS.API.STREAM.{what}.{stream}")), "{role:?}");
                }
            }
            for right in role.rights("K").publish {
                assert!(!["$JS.API.>", "$JS.>", ">", "$KV.>"].contains(&right.as_str()), "{role:?} {right}");
                assert_ne!(right.split('.').next(), Some("*"), "{role:?} {right}");
            }
        }
    }

    #[test]
    fn an_agent_writes_as_its_host_alone_and_a_run_as_its_team() {
        let agent = Role::Agent(team("pay"), "rack_3".to_owned()).rights("K");
        let line = team("pay").log("r", 1, &format!("0003-{}", escaped("rack_3")));
        assert!(agent.may_publish(&line), "{line}");
        assert!(agent.may_publish("$KV.FJ_LEASES.agent.rack_3"));
        let run = Role::Run(team("pay"), vec!["rack_3".to_owned()]).rights("K");
        assert!(run.may_publish(&line) && run.may_publish(&team("pay").log("r", 1, "_opening")));
        assert!(run.may_publish("fj.work.rack_3") && run.may_publish("$KV.FJ_LEASES.run.pay.r"));
        for (subject, of_run) in [
            (team("pay").log("r", 1, "0003-rack-4"), true),
            (team("web").log("r", 1, &format!("0003-{}", escaped("rack_3"))), false),
            ("$KV.FJ_LEASES.agent.rack_4".to_owned(), false),
            ("$KV.FJ_LEASES.run.web.r".to_owned(), false),
            ("fj.work.rack_4".to_owned(), false),
        ] {
            assert!(!agent.may_publish(&subject), "{subject}");
            assert_eq!(run.may_publish(&subject), of_run, "{subject}");
        }
        assert!(!agent.may_publish("fj.work.rack_3"), "it takes work and gives none");
    }

    #[test]
    fn a_viewer_writes_nothing_and_answers_come_to_a_place_of_its_own() {
        let rights = Role::Viewer(team("pay")).rights("UKEY");
        assert!(rights.publish.iter().all(|right| right.starts_with("$JS.API.")), "{rights:?}");
        assert_eq!(rights.subscribe, ["_INBOX.UKEY.>"]);
    }
}
