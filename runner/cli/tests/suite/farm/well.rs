//! What `farmjank farm doctor` says of farms, and that the page of farms says what works.

use super::made::{CA, made, runtime};
use crate::world::{ended, farmjank, write};
use farmjank_farm::nats::{Address, Nats, Terms};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;
use std::time::Duration;

#[test]
fn a_doctor_of_farms_finds_what_is_wrong_with_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let doctor =
        |url: &str, more: &[&str]| ended(farmjank(folder).args(["farm", "doctor", "--farm", url]).args(more));
    let Some(open) = NatsServer::start("") else { return };
    let told = doctor(&open.url(), &["--monitor", &open.monitor(), "--role", "run"]);
    assert_eq!(told.code, 0, "{}{}", told.out, told.err);
    for words in [
        "answers: nats-server 2.",
        "no TLS",
        "lets everybody in",
        "median of 10",
        "apart; nothing is ordered by them",
        "the store is made now: FJ_WORK, KV_FJ_LEASES, FJ_LOG_main, FJ_OBJ_main",
        "on its disk first",
        "went there and came back",
        "claimed, renewed, taken over",
    ] {
        assert!(told.out.contains(words), "{words}: {}", told.out);
    }
    let told = doctor(&open.url(), &[]);
    assert!(told.code == 0 && told.out.contains("there, as it is to be"), "{}", told.out);
    assert_eq!(doctor(&open.url(), &["--role", "agent"]).code, 2, "an agent is one of a host");
    assert_eq!(doctor("nats://127.0.0.1:1", &[]).code, 3, "nobody answers");
    // One that takes back what it promised, and keeps leases otherwise.
    write(folder, "lazy/nats.conf", "jetstream { store_dir: \"store\" }\n");
    let Some(lazy) = NatsServer::configured(&folder.join("lazy")) else { return };
    runtime().block_on(async {
        let terms = Terms { term: Duration::from_secs(2), ..Terms::FARM };
        let address = Address { urls: lazy.url(), name: "test".to_owned(), ..Address::default() };
        let nats =
            Nats::connect(&address, "main", terms, Duration::from_secs(10), true).await.expect("listens");
        nats.prepare().await.expect("an empty server");
    });
    let told = doctor(&lazy.url(), &["--monitor", &lazy.monitor()]);
    assert_eq!(told.code, 3, "{}{}", told.out, told.err);
    assert!(
        told.out.contains("a power cut takes back") && told.out.contains("KV_FJ_LEASES is kept otherwise"),
        "{}",
        told.out
    );
    let told = doctor(&lazy.url(), &["--monitor", "http://127.0.0.1:1"]);
    assert!(told.code == 3 && told.out.contains("--monitor"), "{}", told.out);
}

#[test]
fn the_page_of_farms_writes_one_and_finds_it_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/farm.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let commands = |what: &str| -> Vec<Vec<String>> {
        let lines = page.lines().filter(|line| line.starts_with(what));
        let bare = lines.map(|line| line.split(" #").next().unwrap_or_default());
        bare.map(|line| line.split_whitespace().skip(1).map(str::to_owned).collect()).collect()
    };
    let all = commands("farmjank farm init ");
    assert_eq!(all.len(), 4);
    for words in all {
        let wrote = ended(farmjank(folder).args(&words));
        assert_eq!(wrote.code, 0, "{words:?} {}", wrote.err);
    }
    for key in
        ["hosts/HOST", "teams/TEAM"].map(|place| place.replace("HOST", "rack-3").replace("TEAM", "web"))
    {
        assert!(folder.join("farm").join(key).is_dir());
    }
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    std::fs::copy(folder.join("farm/teams/main/run.nk"), folder.join("run.nk")).expect("a copy");
    std::fs::copy(folder.join("farm/authority.pem"), folder.join("authority.pem")).expect("a copy");
    std::fs::copy(folder.join("farm/operator.nk"), folder.join("operator.nk")).expect("a copy");
    let doctor = commands("farmjank farm doctor ");
    let told: Vec<String> = doctor
        .iter()
        .map(|words| {
            // No computer of tests promises as much as a server of the page.
            let words = words.iter().map(|word| word.replace("200GB", "200MB"));
            let words = words.map(|word| word.replace("tls://farm.example:4222", &server.url()));
            let told = ended(farmjank(folder).args(words).args(["--monitor", &server.monitor()]));
            assert_eq!(told.code, 0, "{}{}", told.out, told.err);
            told.out
        })
        .collect();
    assert!(told[0].contains("of the 200.0 MB it may"), "the operator bounds the team: {}", told[0]);
    assert!(told.iter().flat_map(|told| told.lines()).all(|line| line.starts_with('✓')), "{told:?}");
}

/// A certificate is that of a name, and of an authority.
#[test]
fn a_farm_is_known_by_its_certificate_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let seed = ["--farm-secret", "farm/teams/main/run.nk"];
    let doctor = |ca: &[&str]| {
        ended(farmjank(folder).args(["farm", "doctor", "--farm", &server.url()]).args(seed).args(ca))
    };
    assert_eq!(doctor(&CA).code, 0);
    let stranger = doctor(&[]);
    assert_eq!(stranger.code, 3, "{}", stranger.out);
    assert!(
        stranger.err.contains("no trusted connection") && stranger.err.contains("--farm-ca"),
        "{}",
        stranger.err
    );
    let other = ended(farmjank(folder).args(["farm", "init", "farm", "--rotate", "server"]));
    assert_eq!(other.code, 0, "{}", other.err);
    assert_eq!(doctor(&CA).code, 3, "the server still shows the certificate of the authority before");
    server.reload();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while doctor(&CA).code != 0 {
        assert!(std::time::Instant::now() < until, "{}", server.log());
    }
}
