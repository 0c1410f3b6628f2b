//! SQLite: one file, one writer, a write-ahead log. A commit is on the disk before it returns (`synchronous=full`), so
//! what was recorded outlives the process and the power.
//!
//! Must not know: which tables there are, how a file is opened (that is [`door`]).

pub mod door;

use crate::dialect::{Column, Dialect, Each, Fields, Intent, Rows, Value};
use crate::trouble;
use farmjank_results::fault::Fault;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, params_from_iter};
use std::time::Duration;

/// How long another writer is waited for. A night takes a second or two.
const PATIENCE: Duration = Duration::from_secs(30);
/// What stands in the header of our files: `fjnk`.
pub const MARK: i64 = 0x666a_6e6b;

/// Which SQLite is built in.
pub fn version() -> &'static str {
    rusqlite::version()
}

/// An open SQLite file.
pub struct Sqlite {
    connection: Connection,
    place: String,
}

impl Sqlite {
    /// Over a connection to a file that is ours or new.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn new(connection: Connection, place: String) -> Result<Sqlite, Fault> {
        let set = |connection: &Connection| {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.pragma_update(None, "temp_store", "memory")?;
            // In KiB: the index of a year of nights is touched all over when a night is written.
            connection.pragma_update(None, "cache_size", -65_536)
        };
        set(&connection).map_err(|why| words(&place, &why))?;
        Ok(Sqlite { connection, place })
    }

    fn told<T>(&self, answer: rusqlite::Result<T>) -> Result<T, Fault> {
        answer.map_err(|why| words(&self.place, &why))
    }
}

/// A fault of SQLite in our words.
pub fn words(place: &str, why: &rusqlite::Error) -> Fault {
    match why.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => trouble::busy(place),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::SchemaChanged) => {
            trouble::unreadable(&format!("{place}: {why}"))
        }
        Some(ErrorCode::DiskFull) => trouble::failed(place, "the disk is full"),
        _ => trouble::failed(place, &why.to_string()),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn owned(value: ValueRef<'_>) -> Result<Value, Fault> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes);
            Value::Text(text.map_err(|_| trouble::unreadable("a text is not UTF-8"))?.to_owned())
        }
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

impl Dialect for Sqlite {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn words(&self) -> [(&'static str, &'static str); 4] {
        [("{int}", "integer"), ("{real}", "real"), ("{blob}", "blob"), ("{clustered}", " without rowid")]
    }

    fn version(&mut self) -> Result<i64, Fault> {
        self.told(self.connection.pragma_query_value(None, "user_version", |row| row.get(0)))
    }

    fn set_version(&mut self, version: i64) -> Result<(), Fault> {
        self.told(self.connection.pragma_update(None, "application_id", MARK))?;
        self.told(self.connection.pragma_update(None, "user_version", version))
    }

    fn begin(&mut self, intent: Intent) -> Result<(), Fault> {
        self.batch(match intent {
            Intent::Read => "begin",
            Intent::Write => "begin immediate",
        })
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.batch("commit")
    }

    fn rollback(&mut self) {
        // Fails only when SQLite has rolled back by itself.
        let _ = self.connection.execute_batch("rollback");
    }

    fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.told(self.connection.execute_batch(sql))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault> {
        let changed = self.connection.execute(sql, params_from_iter(values));
        self.told(changed).map(|changed| changed as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), Fault> {
        let mut statement = self.told(self.connection.prepare(sql))?;
        let columns = statement.column_count();
        let mut rows = self.told(statement.query(params_from_iter(values)))?;
        let mut row_values = Vec::with_capacity(columns);
        while let Some(row) = rows.next().map_err(|why| words(&self.place, &why))? {
            row_values.clear();
            for column in 0..columns {
                row_values.push(owned(self.told(row.get_ref(column))?)?);
            }
            each(Fields(&row_values))?;
        }
        Ok(())
    }

    fn fill(&mut self, table: &str, columns: &[Column], rows: &mut Rows<'_>) -> Result<(), Fault> {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let marks: Vec<String> = (1..=columns.len()).map(|at| format!("?{at}")).collect();
        let sql = format!("insert into {table} ({}) values ({})", names.join(", "), marks.join(", "));
        let mut statement = self.told(self.connection.prepare(&sql))?;
        for row in rows {
            self.told(statement.execute(params_from_iter(&row)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_writer_is_named_and_passing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || {
            let connection = Connection::open(file.path()).unwrap();
            let database = Sqlite::new(connection, "results/history.sqlite".into()).unwrap();
            database.connection.busy_timeout(Duration::ZERO).unwrap();
            database
        };
        let mut one = open();
        let mut other = open();
        one.begin(Intent::Write).unwrap();
        let fault = other.begin(Intent::Write).unwrap_err();
        assert_eq!(fault, trouble::busy("results/history.sqlite"));
        one.rollback();
        other.begin(Intent::Write).unwrap();
    }
}
