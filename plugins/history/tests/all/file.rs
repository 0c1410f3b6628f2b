//! SQLite: the suite, and files that are not ours, newer than us, or no database at all.

use crate::conformance;
use crate::samples::{key, night, pin, record};
use farmjank_history::History;
use farmjank_history::dialect::{Dialect, Fields, Intent, Value};
use farmjank_history::{Missing, body, names, open, schema, sqlite};
use farmjank_results::fault::Fault;

use rusqlite::Connection;
use std::path::Path;

fn store(path: &Path) -> Result<History, Fault> {
    open(path.to_str().unwrap(), Missing::Create)
}

/// What opening says, and that it left the file as it was.
fn refusal(path: &Path) -> Fault {
    let before = std::fs::read(path).unwrap();
    let fault = store(path).map(|_| ()).unwrap_err();
    assert_eq!(std::fs::read(path).unwrap(), before, "the file was touched");
    assert!(fault.advice.contains("left as it is"), "{fault}");
    fault
}

#[test]
fn keeps_the_promises() {
    let folder = tempfile::tempdir().unwrap();
    let mut number = 0;
    conformance::keep(|_| {
        number += 1;
        store(&folder.path().join(format!("results/{number}.sqlite"))).unwrap()
    });
}

#[test]
fn keeps_what_it_has_when_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    record(&mut store(&path).unwrap(), &[1, 2]);
    let mut again = open(path.to_str().unwrap(), Missing::Refuse).unwrap();
    assert_eq!(again.cell(&key("Galaxy S9", "fling"), 9).unwrap().len(), 2);
    assert!(again.place().ends_with("history.sqlite"));
}

#[test]
fn a_missing_store_is_made_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.sqlite");
    let fault = open(path.to_str().unwrap(), Missing::Refuse).map(|_| ()).unwrap_err();
    assert_eq!(fault.code.word(), "history_missing");
    assert!(!path.exists());
    assert_eq!(store(folder.path()).map(|_| ()).unwrap_err().code.word(), "history_address");
    for wrong in ["", "mysql://me:secret@there/x"] {
        let fault = open(wrong, Missing::Create).map(|_| ()).unwrap_err();
        assert_eq!(fault.code.word(), "history_address");
        assert!(!fault.to_string().contains("secret"), "{fault}");
    }
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = folder.path().join("garbage.sqlite");
    for bytes in [&b"x"[..], &b"not a database at all, just some text of somebody"[..], &[0; 5_000][..]] {
        std::fs::write(&garbage, bytes).unwrap();
        assert_eq!(refusal(&garbage).code.word(), "history_unreadable");
    }
    // The header of a database, and garbage behind it.
    let path = folder.path().join("history.sqlite");
    record(&mut store(&path).unwrap(), &[1]);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    std::fs::write(&garbage, bytes).unwrap();
    assert_eq!(refusal(&garbage).code.word(), "history_unreadable");

    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("create table notes (words text)").unwrap();
    assert_eq!(refusal(&other).code.word(), "history_foreign");
}

#[test]
fn a_newer_store_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    record(&mut store(&path).unwrap(), &[1]);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let fault = refusal(&path);
    assert_eq!(fault.code.word(), "history_newer");
    assert!(fault.what.contains("version 99") && fault.advice.contains("update farmjank"), "{fault}");
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    std::fs::write(&path, "").unwrap();
    record(&mut store(&path).unwrap(), &[1]);
    // Stopped after the file was made and before its tables were.
    let bare = folder.path().join("bare.sqlite");
    let connection = Connection::open(&bare).unwrap();
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).unwrap();
    drop(connection);
    assert!(std::fs::metadata(&bare).unwrap().len() > 0);
    record(&mut store(&bare).unwrap(), &[1]);
}

/// A session as the first version of the tables kept it.
fn old_session(store: &mut dyn Dialect) {
    store.batch("insert into farmjank_term values (1, 0, 'A1')").unwrap();
    let key = key("Pixel 7", "fling");
    let texts = [&key.model, &key.build, &key.scenario, &key.hash, &key.window, &key.metric, &key.source];
    let mut values: Vec<Value> = texts.map(|text| Value::from(text.as_str())).into();
    values.push(names::of_key(&key).into());
    let cell = "insert into farmjank_cell values (1, ?8, ?1, ?2, 90, ?3, ?4, ?5, ?6, 1, ?7, 0, 0)";
    store.execute(cell, &values).unwrap();
    let body = body::encode(&[14.25, 1.5], &[20.0, 20.0], &[]);
    let session = "insert into farmjank_session (run, cell, device, turn, at, app, n, mean, body) values \
                   (1, 1, 1, 0, 0, null, 2, 7.875, ?1)";
    store.execute(session, &[body.into()]).unwrap();
}

#[test]
fn an_older_store_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    for version in 0..schema::STEPS.len() {
        let path = folder.path().join(format!("{version}.sqlite"));
        let mut old = sqlite::door::open(&path, Missing::Create).unwrap();
        schema::migrate(&mut old, &schema::STEPS[..version]).unwrap();
        if version > 0 {
            let run = "insert into farmjank_run values (1, 'old', 0, '1970-01-01T00:00:00Z', '0.0.1', null, 'pass', '{}', 0, 0)";
            old.batch(run).unwrap();
            old_session(&mut old);
        }
        drop(old);
        let mut store = store(&path).unwrap();
        assert_eq!(store.runs(9).unwrap().len(), version.min(1));
        let kept = store.cell(&key("Pixel 7", "fling"), 9).unwrap();
        let told: Vec<_> = kept.iter().map(|one| (one.values.as_slice(), one.effect)).collect();
        assert_eq!(told, [(&[14.25, 1.5][..], None)][..version.min(1)]);
        record(&mut store, &[1]);
        assert_eq!(store.baselines().unwrap(), []);
    }
    // A step that fails leaves no half of itself.
    let mut half = sqlite::door::open(&path, Missing::Create).unwrap();
    let broken = ["create table one (x {int})", "create table two (y {int}); create table two (z {int})"];
    assert!(schema::migrate(&mut half, &broken).is_err());
    assert_eq!(half.version().unwrap(), 0);
    half.begin(Intent::Read).unwrap();
    assert!(half.batch("select * from one").is_err());
    half.rollback();
}

#[test]
fn readers_and_a_writer_are_not_in_each_others_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut store = store(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("begin immediate").unwrap();
    assert_eq!(store.runs(9).unwrap(), []);
    other.execute_batch("commit").unwrap();
    record(&mut store, &[1]);
}

#[test]
fn the_page_shows_queries_that_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut store = store(&path).unwrap();
    record(&mut store, &[1, 2, 20]);
    store.pin(&pin("release", 1), &night(1).1).unwrap();
    let mut database = sqlite::door::open(&path, Missing::Refuse).unwrap();
    let rows = conformance::queries().into_iter().map(|sql| {
        let mut rows = 0;
        let mut count = |_: Fields<'_>| {
            rows += 1;
            Ok(())
        };
        database.query(&sql, &[], &mut count).unwrap();
        rows
    });
    // Six sessions of the last night, the others are older than a week; one move.
    assert_eq!(rows.collect::<Vec<_>>(), [6, 1]);
}

/// The journal of a transaction that was to make an empty database larger, and was killed after it had.
fn hot_journal() -> Vec<u8> {
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    // Records, nonce, pages before, bytes of a sector, bytes of a page.
    for number in [0_u32, 0x5eed, 0, 512, 4_096] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(512, 0);
    journal
}

#[test]
fn a_store_killed_while_it_was_made_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).unwrap();
    drop(connection);
    std::fs::write(folder.path().join("history.sqlite-journal"), hot_journal()).unwrap();
    record(&mut store(&path).unwrap(), &[1]);

    // Somebody else's database in that state is for somebody else to repair.
    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("create table notes (words text)").unwrap();
    std::fs::write(folder.path().join("other.sqlite-journal"), hot_journal()).unwrap();
    assert_eq!(refusal(&other).code.word(), "history_unreadable");
}
