//! Roles on a real server that is told them as `farm init` tells it: what each may do is answered, what others may do
//! is refused, and what is refused is said in words.

use crate::conformance::runtime;
use farmjank_farm::nats::{Address, Allowed, Kept, Nats, Terms};
use farmjank_farm::roles::Role;
use farmjank_farm::roster::Roster;
use farmjank_results::fault::{FaultCode, Persistence};
use farmjank_seams::exchange::{Appended, Exchange, Leased, LogLine, Place};
use farmjank_witnesses::nats::NatsServer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A farm of two teams, its server, and everybody's seed.
pub struct Farm {
    pub server: NatsServer,
    credentials: Vec<(String, Role)>,
    pub seeds: BTreeMap<String, String>,
}

impl Farm {
    pub fn start() -> Option<Farm> {
        let mut roster = Roster::new("farm.example", "127.0.0.1:4222");
        roster.add("pay", &["left".to_owned(), "right_1".to_owned()]).expect("words");
        roster.add("web", &["other".to_owned()]).expect("words");
        let (credentials, mut seeds) = (roster.credentials().expect("words"), BTreeMap::new());
        for (called, _) in &credentials {
            let key = nkeys::KeyPair::new_user();
            roster.keys.insert(called.clone(), key.public_key());
            seeds.insert(called.clone(), key.seed().expect("it was made here"));
        }
        let config = roster.config().expect("words");
        // What lets in, without certificates: the test of the whole folder has them.
        let users =
            &config[config.find("authorization").expect("users")..config.find("include").expect("last")];
        Some(Farm { server: NatsServer::start(users)?, credentials, seeds })
    }

    pub async fn nats(&self, called: &str, team: &str, patience: Duration) -> Nats {
        self.nats_by(called, team, patience, Terms::FARM).await
    }

    /// The same, by other terms.
    pub async fn nats_by(&self, called: &str, team: &str, patience: Duration, terms: Terms) -> Nats {
        let secret = Some(self.seeds[called].clone());
        let name = called.to_owned();
        let address = Address { urls: self.server.url(), name, secret, authorities: None };
        Nats::connect(&address, team, terms, patience, true).await.expect("let in")
    }
}

fn team(role: &Role) -> String {
    match role {
        Role::Agent(team, _) | Role::Run(team, _) | Role::Viewer(team) => team.team().to_owned(),
        Role::Keeper(teams) | Role::Operator(teams) => teams[0].team().to_owned(),
    }
}

pub const LONG: Duration = Duration::from_secs(10);

#[test]
fn each_of_the_credentials_may_do_what_its_role_says_and_nothing_that_others_may() {
    let Some(farm) = Farm::start() else { return };
    let roles: Vec<Role> = farm.credentials.iter().map(|(_, role)| role.clone()).collect();
    runtime().block_on(async {
        for team in ["pay", "web"] {
            farm.nats(&format!("run-{team}"), team, LONG).await.prepare().await.expect("a run makes streams");
        }
        let (mut allowed, mut refused) = (0, 0);
        for (called, role) in &farm.credentials {
            let nats = farm.nats(called, &team(role), LONG).await;
            for subject in role.may() {
                let said = nats.examined().may(&subject).await.expect("it answers");
                assert_eq!(said, Allowed::Yes, "{called} {subject}");
                allowed += 1;
            }
            for subject in role.must_not(&roles) {
                let said = nats.examined().may(&subject).await.expect("it answers");
                assert_eq!(said, Allowed::No, "{called} {subject}");
                refused += 1;
            }
            assert!(
                nats.examined()
                    .store()
                    .await
                    .expect("it answers")
                    .iter()
                    .all(|(_, kept)| *kept == Kept::Well)
            );
        }
        println!("{allowed} allowed, {refused} refused");
        assert!(allowed > 90 && refused > 900, "{allowed} allowed, {refused} refused");
    });
}

/// On a server that allows everything to everybody, which is what a doctor may find, each question must be one that
/// does nothing: an empty purge would take all.
#[test]
fn what_is_asked_to_learn_what_is_allowed_changes_nothing_where_everything_is() {
    let Some(server) = NatsServer::start("") else { return };
    runtime().block_on(async {
        let address = Address { urls: server.url(), name: "doctor".to_owned(), ..Address::default() };
        let nats = Nats::connect(&address, "pay", Terms::FARM, LONG, true).await.expect("let in");
        nats.prepare().await.expect("an empty server");
        let (names, host) = (farmjank_farm::subjects::Names::of("pay").expect("a word"), "left".to_owned());
        let line = LogLine { run: "r".to_owned(), generation: 1, line: "0001-left".to_owned() };
        let written = nats.append(&line, Place(0), b"1").await.expect("answers");
        let leased = nats.claim("agent.left", b"left").await.expect("answers");
        nats.put("d", b"object").await.expect("left");
        nats.offer("left", "1", b"first").await.expect("offered");
        let first = nats.take("left", LONG).await.expect("answers").expect("offered");
        nats.offer("left", "2", b"second").await.expect("offered");
        let mut roles = farmjank_farm::roles::strangers(&names).expect("words");
        roles.extend([
            Role::Agent(names.clone(), host.clone()),
            Role::Run(names.clone(), vec![host]),
            Role::Viewer(names.clone()),
            Role::Operator(vec![names.clone()]),
        ]);
        let mut asked = BTreeSet::new();
        for role in &roles {
            asked.extend(role.may());
            asked.extend(role.must_not(&roles));
        }
        assert!(asked.contains("$JS.API.STREAM.PURGE.FJ_LOG_pay") && asked.len() > 100, "{asked:?}");
        for subject in &asked {
            assert_ne!(nats.examined().may(subject).await.expect("answers"), Allowed::No, "{subject}");
        }
        assert_eq!(
            nats.last(&line).await.expect("answers").map(|last| Appended::At(last.place)),
            Some(written)
        );
        assert_eq!(nats.lasts(1, "0001-left").await.expect("answers").len(), 1);
        assert_eq!(nats.get("d").await.expect("answers").as_deref(), Some(b"object".as_slice()));
        let holder = nats.holder("agent.left").await.expect("answers").expect("held");
        assert_eq!(Leased::Granted(holder.fence), leased);
        nats.keep(&first.receipt).await.expect("it is still ours");
        let next = nats.take("left", LONG).await.expect("answers").expect("offered");
        assert_eq!((next.body.as_slice(), next.times), (b"second".as_slice(), 1));
        let kept = nats.examined().store().await.expect("answers");
        assert!(kept.iter().all(|(_, kept)| *kept == Kept::Well), "{kept:?}");
    });
}

#[test]
fn a_store_that_is_not_there_is_waited_for_in_words_by_those_who_may_not_make_it() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let agent = farm.nats("agent-left", "pay", LONG).await;
        let fault = agent.prepare().await.expect_err("an agent makes no streams");
        assert_eq!((fault.code, fault.persistence), (FaultCode::FarmRefused, Persistence::Lasting));
        for call in 0..4 {
            let asked = match call {
                0 => agent.claim("agent.left", b"1").await.map(drop),
                1 => agent.take("left", Duration::from_millis(200)).await.map(drop),
                2 => agent.put("d", b"1").await,
                _ => agent.holder("run.r").await.map(drop),
            };
            let fault = asked.expect_err("there is none");
            assert_eq!(
                (fault.code.clone(), fault.persistence),
                (FaultCode::FarmUnreachable, Persistence::Passing)
            );
            assert!(fault.what.contains("the next run makes it"), "{fault}");
        }
        farm.nats("keeper", "pay", LONG).await.prepare().await.expect("the keeper makes it");
        assert!(matches!(agent.claim("agent.left", b"1").await.expect("it is there"), Leased::Granted(_)));
    });
}

/// By the calls themselves, since the words of one are what people see.
#[test]
fn who_does_what_another_may_is_told_so_at_once_and_changes_nothing() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let run = farm.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("a run makes streams");
        let line = |name: &str| LogLine { run: "r".to_owned(), generation: 1, line: name.to_owned() };
        let left = farm.nats("agent-left", "pay", LONG).await;
        assert!(matches!(left.append(&line("0001-left"), Place(0), b"1").await, Ok(Appended::At(_))));
        assert!(matches!(left.claim("agent.left", b"left").await, Ok(Leased::Granted(_))));
        run.offer("left", "1", b"work").await.expect("its team's host");
        let right = farm.nats("agent-right_1", "pay", LONG).await;
        let viewer = farm.nats("viewer-pay", "pay", LONG).await;
        let asked = tokio::time::Instant::now();
        let wait = Duration::from_millis(200);
        let refusals = [
            right.append(&line("0001-left"), Place(0), b"forged").await.map(drop),
            right.take("left", wait).await.map(drop),
            right.renew("agent.left", farmjank_seams::exchange::Fence(1), b"mine").await.map(drop),
            right.offer("left", "2", b"forged").await,
            right.claim("run.r", b"mine").await.map(drop),
            run.claim("agent.x", b"mine").await.map(drop),
            run.offer("other", "3", b"of another team").await,
            viewer.put("d", b"1").await,
            viewer.claim("run.r", b"mine").await.map(drop),
            viewer.append(&line("0001-left"), Place(0), b"forged").await.map(drop),
            viewer.offer("left", "4", b"forged").await,
            farm.nats("viewer-web", "pay", LONG).await.follow("r", 1, Place(0), wait).await.map(drop),
        ];
        let many = refusals.len();
        for (number, refusal) in refusals.into_iter().enumerate() {
            let fault = refusal.expect_err("it is not allowed");
            assert_eq!(fault.code, FaultCode::FarmRefused, "{number}: {fault}");
            assert!(fault.what.contains("may not do that on the farm"), "{number}: {fault}");
            let told = fault.to_string();
            assert!(
                !farm.seeds.values().any(|seed| told.contains(seed.as_str())),
                "a secret is repeated: {told}"
            );
        }
        assert!(asked.elapsed() < LONG, "{many} refusals were not waited for");
        assert_eq!(run.last(&line("0001-left")).await.expect("answers").expect("there").body, b"1");
        let read = viewer.follow("r", 1, Place(0), wait).await.expect("it may read");
        assert_eq!(read.first().expect("there").body, b"1");
        assert_eq!(viewer.lasts(1, "0001-left").await.expect("it may read").len(), 1);
        assert_eq!(viewer.holder("agent.left").await.expect("answers").expect("held").body, b"left");
        assert_eq!(left.take("left", wait).await.expect("answers").expect("offered").body, b"work");
    });
}

#[test]
fn a_bad_object_is_given_up_and_left_again_without_a_right_to_purge() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let run = farm.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("a run makes streams");
        let agent = farm.nats("agent-left", "pay", LONG).await;
        let good: Vec<u8> = (0..1_300_000_u32).map(|n| (n % 251) as u8).collect();
        let digest = farmjank_farm::digest::of(&good);
        // Of three parts, all wrong.
        agent.put(&digest, &vec![7; good.len()]).await.expect("left");
        let viewer = farm.nats("viewer-pay", "pay", LONG).await;
        assert_eq!(farmjank_farm::digest::fetch(&viewer, &digest).await.expect("answers"), None);
        assert!(viewer.get(&digest).await.expect("answers").is_some(), "who only reads gives nothing up");
        assert_eq!(farmjank_farm::digest::fetch(&run, &digest).await.expect("answers"), None);
        agent.put(&digest, &good).await.expect("left again");
        assert!(farmjank_farm::digest::fetch(&viewer, &digest).await.expect("answers") == Some(good));
    });
}

/// By another client: ours listens nowhere else.
#[test]
fn nobody_listens_to_what_is_written_or_to_answers_of_others() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let run = farm.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("a run makes streams");
        let mut heard = Vec::new();
        for called in ["viewer-pay", "agent-left", "run-web", "keeper"] {
            let options = async_nats::ConnectOptions::with_nkey(farm.seeds[called].clone());
            let client = options.connect(farm.server.url()).await.expect("let in");
            for subject in
                [">", "_INBOX.>", "fj.>", "fj.log.pay.>", "$KV.>", "$JS.>", "$JS.ACK.>", "_INBOX.*.>"]
            {
                heard.push((called, subject, client.subscribe(subject).await.expect("it is asked for")));
            }
            client.flush().await.expect("sent");
        }
        let line = LogLine { run: "r".to_owned(), generation: 1, line: "_opening".to_owned() };
        assert!(matches!(run.append(&line, Place(0), b"1").await, Ok(Appended::At(_))));
        run.offer("left", "1", b"work").await.expect("its team's host");
        run.claim("run.r", b"run").await.expect("its own");
        run.put("d", b"object").await.expect("its team's");
        assert_eq!(run.get("d").await.expect("answers").as_deref(), Some(b"object".as_slice()));
        tokio::time::sleep(Duration::from_millis(300)).await;
        for (called, subject, subscriber) in &mut heard {
            let next = futures::FutureExt::now_or_never(futures::StreamExt::next(subscriber)).flatten();
            assert!(next.is_none(), "{called} hears on {subject}: {next:?}");
        }
    });
}

/// What roles cannot keep (docs/farm.md says so): the server itself writes an answer where the question says.
#[test]
fn an_answer_that_is_sent_onto_a_line_is_no_entry_of_it() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let run = farm.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("a run makes streams");
        run.claim("run.r", b"run").await.expect("its own");
        let options = async_nats::ConnectOptions::with_nkey(farm.seeds["viewer-pay"].clone());
        let viewer = options.connect(farm.server.url()).await.expect("let in");
        let asked = "{\"last_by_subj\":\"$KV.FJ_LEASES.run.pay.r\"}";
        let (subject, reply) = ("$JS.API.STREAM.MSG.GET.KV_FJ_LEASES", "fj.log.pay.r.1.left.0001");
        viewer.publish_with_reply(subject, reply, asked.into()).await.expect("sent");
        viewer.flush().await.expect("sent");
        let line = LogLine { run: "r".to_owned(), generation: 1, line: "0001-left".to_owned() };
        let until = tokio::time::Instant::now() + LONG;
        let there = loop {
            if let Some(there) = run.last(&line).await.expect("answers") {
                break there;
            }
            assert!(
                tokio::time::Instant::now() < until,
                "the server writes no answer there: docs/farm.md says it does"
            );
        };
        let fault = farmjank_farm::frames::Frame::read(&there.body).expect_err("no entry");
        assert_eq!(fault.code, FaultCode::FarmGarbled, "{fault}");
    });
}
