//! When an adb server is started, and when one that goes is looked for again.

mod fake;

use fake::{Fake, FakeDial, simulated};
use farmjank_devices::adb::{StartPolicy, Started, ensure_server};
use farmjank_results::fault::Fault;
use farmjank_seams::Work;
use farmjank_seams::host::{Address, Dial, Spawn, Wire};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

#[derive(Default)]
struct FakeSpawn {
    dial: FakeDial,
    ran: RefCell<Vec<String>>,
}

impl Spawn for FakeSpawn {
    fn run<'a>(&'a self, program: &'a str, args: &'a [&'a str], _: Duration) -> Work<'a, (i32, String)> {
        Box::pin(async move {
            self.ran.borrow_mut().push(format!("{program} {}", args.join(" ")));
            if program == "broken" {
                return Ok((1, "cannot bind".into()));
            }
            self.dial.servers.borrow_mut().insert(5099, Fake::new(""));
            Ok((0, String::new()))
        })
    }
}

#[test]
fn a_server_is_started_only_when_all_say_yes() {
    let attempt = |host: &str, policy: StartPolicy, running: bool| {
        simulated(async move {
            let spawn = FakeSpawn::default();
            if running {
                spawn.dial.servers.borrow_mut().insert(5099, Fake::new(""));
            }
            let address = Address::Tcp(host.to_owned(), 5099);
            let result: Result<Started, Fault> =
                ensure_server(&address, Rc::new(spawn.dial.clone()), &spawn, &policy).await;
            (result.map_err(|fault| (fault.code.to_string(), fault.advice)), spawn.ran.into_inner())
        })
    };
    let policy = StartPolicy { adb: Some("adb".into()), ..StartPolicy::default() };
    assert_eq!(attempt("127.0.0.1", policy.clone(), true), (Ok(Started::Already), vec![]));
    let command = "adb -P 5099 start-server".to_owned();
    assert_eq!(attempt("localhost", policy.clone(), false), (Ok(Started::Now), vec![command]));
    for (host, policy, words) in [
        ("rack7", policy.clone(), "tunnel"),
        ("::1", StartPolicy { user_managed: true, ..policy.clone() }, "USER_MANAGED"),
        ("::1", StartPolicy::default(), "install adb"),
    ] {
        let (result, ran) = attempt(host, policy, false);
        let (code, advice) = result.unwrap_err();
        assert_eq!((code.as_str(), ran.len()), ("no_server", 0));
        assert!(advice.contains(words), "{advice}");
    }
    let (result, _) = attempt("::1", StartPolicy { adb: Some("broken".into()), ..policy }, false);
    assert_eq!(result.unwrap_err().0, "no_server");
}

/// Closes the first connections without a word, as a server does that is being ended.
struct Ending(RefCell<u32>, FakeDial);

impl Dial for Ending {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        if *self.0.borrow() == 0 {
            return self.1.dial(to);
        }
        *self.0.borrow_mut() -= 1;
        Box::pin(async { Ok(Box::new(tokio::io::duplex(64).0) as Box<dyn Wire>) })
    }
}

#[test]
fn a_server_that_ends_while_it_is_asked_is_looked_for_again() {
    let attempt = |closed: u32, adb: &'static str| {
        simulated(async move {
            let spawn = FakeSpawn::default();
            let dial = Rc::new(Ending(RefCell::new(closed), spawn.dial.clone()));
            let policy = StartPolicy { adb: Some(adb.to_owned()), ..StartPolicy::default() };
            let address = Address::Tcp("127.0.0.1".to_owned(), 5099);
            let result = ensure_server(&address, dial, &spawn, &policy).await;
            (result.map_err(|fault| (fault.code.to_string(), fault.what)), spawn.ran.borrow().len())
        })
    };
    assert_eq!(attempt(1, "adb"), (Ok(Started::Now), 1));
    assert_eq!(attempt(2, "adb"), (Ok(Started::Now), 1));
    let said = "the adb server at 127.0.0.1:5099 closed the connection without an answer";
    let (result, ran) = attempt(9, "adb");
    assert_eq!(ran, 0, "a server that closes connections is not refused");
    let (code, what) = result.unwrap_err();
    assert_eq!(code, "no_server");
    assert!(what.starts_with(said), "{what}");
}
