//! PostgreSQL: the suite, and what a server may refuse. `FARMJANK_TEST_POSTGRES` is the address of a database whose
//! owner we are; `.ci/with-postgres` starts a private one. Each test works in a schema of its own.

use crate::conformance;
use crate::samples::{key, night, pin, record};
use farmjank_history::History;
use farmjank_history::{Missing, open};

use postgres::{Client, NoTls};
use std::cell::Cell;

/// A schema that goes away with this value.
struct Schema {
    address: String,
    name: String,
}

/// The address of the server, or `None` with a printed reason. In CI it has to be there.
pub fn server() -> Option<String> {
    let address = std::env::var("FARMJANK_TEST_POSTGRES").ok();
    if address.is_none() {
        assert!(std::env::var_os("CI").is_none(), "FARMJANK_TEST_POSTGRES is not set: run .ci/with-postgres");
        println!("skipped: FARMJANK_TEST_POSTGRES names no PostgreSQL; .ci/with-postgres starts one");
    }
    address
}

impl Schema {
    fn new(server: &str, name: &str) -> Schema {
        let name = format!("test_{name}_{}", std::process::id());
        let mut client = Client::connect(server, NoTls).unwrap();
        client.batch_execute(&format!("create schema {name}")).unwrap();
        let mark = if server.contains('?') { '&' } else { '?' };
        Schema { address: format!("{server}{mark}options=-c%20search_path%3D{name}"), name }
    }

    fn open(&self) -> History {
        open(&self.address, Missing::Create).unwrap()
    }

    fn ask(&self, sql: &str) {
        Client::connect(&self.address, NoTls).unwrap().batch_execute(sql).unwrap();
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.ask(&format!("drop schema {} cascade", self.name));
    }
}

#[test]
fn keeps_the_promises() {
    let Some(server) = server() else { return };
    let schemas = Cell::new(Vec::new());
    conformance::keep(|_| {
        let mut all = schemas.take();
        let schema = Schema::new(&server, &format!("promise{}", all.len()));
        let store = schema.open();
        all.push(schema);
        schemas.set(all);
        store
    });
}

#[test]
fn a_newer_store_is_refused_in_words() {
    let Some(server) = server() else { return };
    let schema = Schema::new(&server, "newer");
    let fault = open(&schema.address, Missing::Refuse).map(|_| ()).unwrap_err();
    assert_eq!(fault.code.word(), "history_missing");
    record(&mut schema.open(), &[1]);
    schema.ask("update farmjank_format set version = 99");
    let fault = open(&schema.address, Missing::Create).map(|_| ()).unwrap_err();
    assert_eq!(fault.code.word(), "history_newer");
    assert!(fault.what.contains("version 99") && fault.advice.contains("update farmjank"), "{fault}");
}

#[test]
fn an_older_store_is_brought_up_to_date() {
    let Some(server) = server() else { return };
    let schema = Schema::new(&server, "older");
    record(&mut schema.open(), &[1]);
    // As the tables were before sessions said what matters.
    schema.ask(
        "drop table farmjank_told; drop table farmjank_cause; drop table farmjank_diagnosis; drop table farmjank_spot; drop table farmjank_iteration; \
         alter table farmjank_session drop column effect; alter table farmjank_pin_session drop column effect; \
         update farmjank_format set version = 3",
    );
    let mut store = schema.open();
    let kept = store.cell(&key("Galaxy S9", "fling"), 9).unwrap();
    assert_eq!(kept.iter().map(|one| one.effect).collect::<Vec<_>>(), [None]);
    record(&mut store, &[2]);
    assert!(store.cell(&key("Galaxy S9", "fling"), 1).unwrap()[0].effect.is_some());
}

#[test]
fn a_writer_that_ends_in_the_middle_leaves_nothing() {
    let Some(server) = server() else { return };
    let schema = Schema::new(&server, "middle");
    let mut store = schema.open();
    record(&mut store, &[1]);
    // A table that is in the way makes the last step of recording fail, after everything else was written.
    schema.ask("alter table farmjank_cell rename column last_at to elsewhere");
    let (run, sessions) = night(2);
    assert_eq!(store.record(&run, &sessions).unwrap_err().code.word(), "history_failed");
    schema.ask("alter table farmjank_cell rename column elsewhere to last_at");
    assert_eq!(store.cell(&key("Galaxy S9", "fling"), 9).unwrap().len(), 1);
    assert_eq!(store.runs(9).unwrap().len(), 1);
    record(&mut store, &[2]);
    assert_eq!(store.torn().unwrap(), []);
}

#[test]
fn what_cannot_be_reached_is_told_without_the_password() {
    let place = "postgres://me:secret@127.0.0.1:1/perf";
    let fault = open(place, Missing::Create).map(|_| ()).unwrap_err();
    assert_eq!(fault.code.word(), "history_failed");
    assert!(
        fault.what.contains("postgres://me@127.0.0.1:1/perf") && !fault.to_string().contains("secret"),
        "{fault}"
    );

    let Some(server) = server() else { return };
    let (_, at) = server.split_once('@').unwrap();
    let fault = open(&format!("postgres://nobody:secret@{at}"), Missing::Create).map(|_| ()).unwrap_err();
    assert_eq!(fault.code.word(), "history_failed");
    assert!(fault.what.contains("nobody") && !fault.to_string().contains("secret"), "{fault}");
}

#[test]
fn the_page_shows_queries_that_work() {
    let Some(server) = server() else { return };
    let schema = Schema::new(&server, "page");
    let mut store = schema.open();
    record(&mut store, &[1, 2, 20]);
    store.pin(&pin("release", 1), &night(1).1).unwrap();
    let mut client = Client::connect(&schema.address, NoTls).unwrap();
    let rows = conformance::queries().into_iter().map(|sql| client.query(&sql, &[]).unwrap().len());
    assert_eq!(rows.collect::<Vec<_>>(), [6, 1]);
}
