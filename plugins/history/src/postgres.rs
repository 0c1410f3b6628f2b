//! PostgreSQL: the same tables in the schema that the address's `search_path` names, `farmjank_` before each. Several
//! controllers may share one database: whoever writes holds a lock until the end of the transaction. Nothing relies on
//! the session, so that a pooler in transaction mode does no harm.
//!
//! PostgreSQL keeps no NUL in text, phones may print one: texts go in and out through [`armour`].
//!
//! Must not know: which tables there are, how a connection is made (that is [`door`]).

mod armour;
pub mod door;
mod worker;

use crate::dialect::{Column, Dialect, Each, Fields, Intent, Kind, Rows, Value};
use crate::trouble;
use armour::{armour, bare};
use bytes::BytesMut;
use farmjank_results::fault::Fault;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Error};
use std::sync::mpsc::channel;
use worker::Worker;

/// A transaction that writes: one at a time among all farmjanks of this database (the number is `fjnk`), waited for as
/// long as SQLite waits.
const WRITE: &str = "begin; set local lock_timeout = '30s'; select pg_advisory_xact_lock(1718251115)";
/// A transaction that reads: all queries see one moment.
const READ: &str = "begin isolation level repeatable read read only";

/// A connection to a database.
pub struct Postgres {
    worker: Worker,
    place: String,
}

/// Rows that travel together between the threads.
const BATCH: usize = 500;

/// Why a query ends early.
enum Broken {
    Database(Error),
    /// This column holds no value of ours.
    Column(usize),
}

/// A fault of PostgreSQL in our words. Its messages name users and databases, never passwords.
fn words(place: &str, why: &Error) -> Fault {
    let Some(told) = why.as_db_error() else {
        let cause = std::error::Error::source(why).map_or_else(|| why.to_string(), |cause| cause.to_string());
        return trouble::failed(place, &cause).passing();
    };
    let message = told.message();
    if *told.code() == SqlState::LOCK_NOT_AVAILABLE {
        trouble::busy(place)
    } else if message.ends_with("no encryption") {
        let advice =
            "TLS to PostgreSQL is not built in; use a tunnel, or let this host in without (pg_hba.conf)";
        Fault { advice: advice.to_owned(), ..trouble::failed(place, message) }
    } else {
        trouble::failed(place, message)
    }
}

impl Postgres {
    fn ask<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Client) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Fault> {
        self.worker.ask(work)?.map_err(|why| words(&self.place, &why))
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(number) => number.to_sql_checked(kind, out),
            Value::Real(number) => number.to_sql_checked(kind, out),
            Value::Text(text) => armour(text).to_sql_checked(kind, out),
            Value::Blob(bytes) => bytes.to_sql_checked(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // What is inside checks for itself.
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Value, Box<dyn std::error::Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Value::Int),
            Type::FLOAT8 => f64::from_sql(kind, raw).map(Value::Real),
            Type::BYTEA => Vec::from_sql(kind, raw).map(Value::Blob),
            _ => <&str>::from_sql(kind, raw).map(|text| Value::Text(bare(text).into_owned())),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Value, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::FLOAT8 | Type::BYTEA | Type::TEXT)
    }
}

/// `?1` as PostgreSQL writes it.
fn own(sql: &str) -> String {
    sql.replace('?', "$")
}

impl Dialect for Postgres {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn words(&self) -> [(&'static str, &'static str); 4] {
        [("{int}", "bigint"), ("{real}", "double precision"), ("{blob}", "bytea"), ("{clustered}", "")]
    }

    fn version(&mut self) -> Result<i64, Fault> {
        let there = "select to_regclass('farmjank_format') is not null";
        let version = "select version from farmjank_format";
        self.ask(move |client| match client.query_one(there, &[])?.try_get::<_, bool>(0)? {
            false => Ok(0),
            true => client.query_opt(version, &[])?.map_or(Ok(0), |row| row.try_get::<_, i64>(0)),
        })
    }

    fn set_version(&mut self, version: i64) -> Result<(), Fault> {
        self.batch(&format!(
            "create table if not exists farmjank_format (version bigint not null); \
             delete from farmjank_format; insert into farmjank_format values ({version})"
        ))
    }

    fn begin(&mut self, intent: Intent) -> Result<(), Fault> {
        let begun = self.batch(match intent {
            Intent::Read => READ,
            Intent::Write => WRITE,
        });
        if begun.is_err() {
            // The transaction begins before the lock is waited for.
            self.rollback();
        }
        begun
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.batch("commit")
    }

    fn rollback(&mut self) {
        // Fails only when the connection is gone, and with it the transaction.
        let _ = self.ask(|client| client.batch_execute("rollback"));
    }

    fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        let sql = sql.to_owned();
        self.ask(move |client| client.batch_execute(&sql))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault> {
        let sql = own(sql);
        let values = values.to_vec();
        self.ask(move |client| {
            let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
            client.execute(&sql, &values)
        })
    }

    fn query(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), Fault> {
        let sql = own(sql);
        let values = values.to_vec();
        // Who takes the rows may be slower than the server: only so many are on their way.
        let (taken, more) = channel::<()>();
        let answer = self.worker.begin(move |client, told| {
            let sent = |batch| told.send(Ok(batch)).is_ok() && more.recv().is_ok();
            if let Err(why) = rows_of(client, &sql, values, sent) {
                let _ = told.send(Err(why));
            }
        })?;
        while let Some(batch) = self.worker.next(&answer)? {
            let batch = batch.map_err(|why| match why {
                Broken::Database(why) => words(&self.place, &why),
                Broken::Column(column) => {
                    trouble::unreadable(&format!("column {column} of a row is of another type"))
                }
            })?;
            let _ = taken.send(());
            batch.iter().try_for_each(|row| each(Fields(row)))?;
        }
        Ok(())
    }

    fn fill(&mut self, table: &str, columns: &[Column], rows: &mut Rows<'_>) -> Result<(), Fault> {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return Ok(());
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let types: Vec<Type> = columns.iter().map(|(_, kind)| type_of(*kind)).collect();
        let sql = format!("copy {table} ({}) from stdin binary", names.join(", "));
        let (given, batches) = channel::<Vec<Vec<Value>>>();
        let answer = self.worker.begin(move |client, told| {
            let mut copied = || -> Result<(), Error> {
                let mut copy = BinaryCopyInWriter::new(client.copy_in(&sql)?, &types);
                for batch in &batches {
                    for row in batch {
                        let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
                        copy.write(&values)?;
                    }
                    let _ = told.send(Ok(()));
                }
                copy.finish().map(drop)
            };
            if let Err(why) = copied() {
                let _ = told.send(Err(why));
            }
        })?;
        while rows.peek().is_some() {
            let _ = given.send(rows.by_ref().take(BATCH).collect());
            // Taken, or why not.
            let taken = self.worker.next(&answer)?.unwrap_or(Ok(()));
            taken.map_err(|why| words(&self.place, &why))?;
        }
        drop(given);
        match self.worker.next(&answer)? {
            Some(Err(why)) => Err(words(&self.place, &why)),
            _ => Ok(()),
        }
    }
}

/// Gives the rows of a query in batches, until nobody takes them.
fn rows_of(
    client: &mut Client,
    sql: &str,
    values: Vec<Value>,
    mut sent: impl FnMut(Vec<Vec<Value>>) -> bool,
) -> Result<(), Broken> {
    let mut rows = client.query_raw(sql, values).map_err(Broken::Database)?;
    let mut batch = Vec::new();
    while let Some(row) = rows.next().map_err(Broken::Database)? {
        let field = |column| row.try_get(column).map_err(|_| Broken::Column(column));
        batch.push((0..row.len()).map(field).collect::<Result<Vec<Value>, Broken>>()?);
        if batch.len() == BATCH && !sent(std::mem::take(&mut batch)) {
            return Ok(());
        }
    }
    if !batch.is_empty() {
        sent(batch);
    }
    Ok(())
}

fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::INT8,
        Kind::Real => Type::FLOAT8,
        Kind::Text => Type::TEXT,
        Kind::Blob => Type::BYTEA,
    }
}
