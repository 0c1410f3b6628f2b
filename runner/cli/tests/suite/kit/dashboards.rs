//! The dashboard of nights: every query on real PostgreSQL, filled by real runs, as the user the kit makes for it.

use super::{call, has, kit, text};
use crate::world::{SMOOTH, ended, run, write};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A database of its own on the tests' server: who writes into a history keeps others waiting. Gone with the test.
struct Database {
    server: String,
    name: String,
}

impl Database {
    fn make() -> Option<Database> {
        let Ok(server) = std::env::var("FARMJANK_TEST_POSTGRES") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "FARMJANK_TEST_POSTGRES is not set: run .ci/with-postgres"
            );
            println!("skipped: FARMJANK_TEST_POSTGRES names no PostgreSQL; .ci/with-postgres starts one");
            return None;
        };
        let database = Database { server, name: format!("kit_{}", std::process::id()) };
        database.on_server(&format!("create database {}", database.name));
        Some(database)
    }

    fn on_server(&self, sql: &str) {
        let said = call("psql", &[&self.server, "--quiet", "--command", sql]);
        assert!(said.code == 0, "{sql}: {}", said.err);
    }

    /// Its address, for this user.
    fn address(&self, user: Option<(&str, &str)>) -> String {
        let (before, _) = self.server.rsplit_once('/').expect("a database");
        let (own, host) =
            before.strip_prefix("postgres://").expect("an address").rsplit_once('@').expect("a user");
        let who = user.map_or(own.to_owned(), |(name, password)| format!("{name}:{password}"));
        format!("postgres://{who}@{host}/{}", self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("drop database {} with (force)", self.name);
        call("psql", &[&self.server, "--quiet", "--command", &sql]);
        call("psql", &[&self.server, "--quiet", "--command", "drop role if exists grafana"]);
    }
}

/// Makes the user of dashboards as the kit's container does.
fn reader(database: &Database) {
    let owner = database.address(None);
    let (who, host) = owner.strip_prefix("postgres://").expect("an address").split_once('@').expect("a host");
    let (user, password) = who.split_once(':').expect("a password");
    let (place, name) = host.split_once('/').expect("a database");
    let (host, port) = place.split_once(':').expect("a port");
    let mut command = Command::new(kit("container/reader.sh"));
    command.env("PGHOST", host).env("PGPORT", port).env("PGPASSWORD", password).env("POSTGRES_USER", user);
    command.env("POSTGRES_DB", name).env("GRAFANA_DB_PASSWORD", "it's;read");
    let made = ended(&mut command);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
}

/// Two nights of two scenarios, a day between them, and a baseline.
fn fill(place: &Path, address: &str) {
    write(place, "flows/a.yaml", &SMOOTH.replace("name: Smooth", "name: It's smooth"));
    write(place, "flows/b.yaml", &SMOOTH.replace("30%refresh", "101%refresh"));
    for seed in ["1", "2"] {
        let args = ["run", "flows", "--lab", "demo", "--causes=each", "-q", "--history", address];
        let sweep = run(place, &[&args[..], &["--seed", seed, "--out", seed]].concat());
        assert_eq!(sweep.code, 1, "{}{}", sweep.out, sweep.err);
    }
    // Time stands still between runs of a virtual lab.
    let apart = "update farmjank_run set at = at + id * 86400000000";
    assert_eq!(call("psql", &[address, "--quiet", "--command", apart]).code, 0);
    let pinned = run(place, &["baseline", "save", "release", "1", "--history", address]);
    assert_eq!(pinned.code, 0, "{}{}", pinned.out, pinned.err);
}

/// What Grafana puts in: the range of time, and the values that are chosen.
fn expanded(sql: &str, lists: &[(String, String)]) -> String {
    let range = sql.replace("$__unixEpochFrom()", "946684800").replace("$__unixEpochTo()", "1795713342");
    let filled =
        lists.iter().fold(range, |sql, (name, list)| sql.replace(&format!("${{{name}:sqlstring}}"), list));
    assert!(!filled.contains('$'), "nobody fills `$` in {filled}");
    filled
}

fn rows(address: &str, sql: &str) -> Result<Vec<String>, String> {
    let said =
        call("psql", &[address, "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command", sql]);
    let lines = said.out.lines().filter(|line| !line.is_empty()).map(str::to_owned);
    if said.code == 0 { Ok(lines.collect()) } else { Err(said.err) }
}

#[test]
fn every_panel_of_the_nights_has_rows_for_a_user_that_may_only_read() {
    if !has("psql", "postgresql-client") {
        return;
    }
    let Some(database) = Database::make() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fill(folder.path(), &database.address(None));
    reader(&database);
    let address = database.address(Some(("grafana", "it%27s%3Bread")));
    assert!(rows(&address, "delete from farmjank_run").is_err_and(|why| why.contains("permission denied")));

    let board: Value = serde_json::from_str(&text("grafana/dashboards/nights.json")).expect("JSON");
    let variables = board["templating"]["list"].as_array().expect("variables");
    let mut lists = Vec::new();
    for variable in variables.iter().filter(|variable| variable["type"] == "query") {
        let values = rows(&address, variable["query"].as_str().expect("a query")).expect("values");
        let chosen: Vec<String> =
            values.iter().map(|value| format!("'{}'", value.replace('\'', "''"))).collect();
        let name = variable["name"].as_str().expect("a name").to_owned();
        let list = if name == "metric" { "'hitch_ms_per_s'".to_owned() } else { chosen.join(",") };
        assert!(chosen.join(",").contains(&list), "{name}: {chosen:?}");
        lists.push((name, list));
    }
    assert!(lists.iter().any(|(_, list)| list.contains("'It''s smooth'")), "{lists:?}");
    let mut asked = 0;
    for panel in board["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let sql = expanded(target["rawSql"].as_str().expect("SQL"), &lists);
            // A time series needs these three by name.
            let columns = if target["format"] == "time_series" { "\"time\", metric, value" } else { "*" };
            let found = rows(&address, &format!("select {columns} from ({sql}) panel"));
            let found = found.unwrap_or_else(|why| panic!("{}: {why}", panel["title"]));
            assert!(!found.is_empty(), "{} has no rows", panel["title"]);
            asked += 1;
        }
    }
    assert!(asked > 9, "{asked} queries");
    let moves = board["annotations"]["list"][0]["target"]["rawSql"].as_str().expect("SQL");
    assert_eq!(rows(&address, moves).expect("rows").len(), 1, "the baseline that was pinned");
}

#[test]
fn panels_lie_beside_each_other_and_ask_the_source_that_is_chosen() {
    for (file, source) in [("nights.json", "${history}"), ("lab.json", "${prometheus}")] {
        let board: Value = serde_json::from_str(&text(&format!("grafana/dashboards/{file}"))).expect("JSON");
        let (mut ids, mut taken) = (BTreeSet::new(), BTreeSet::new());
        for panel in board["panels"].as_array().expect("panels") {
            assert!(ids.insert(panel["id"].as_u64().expect("a number")), "{file}: {panel}");
            let place = |key: &str| panel["gridPos"][key].as_u64().expect("a place");
            assert!(place("x") + place("w") <= 24, "{file}: {}", panel["title"]);
            for row in place("y")..place("y") + place("h") {
                for column in place("x")..place("x") + place("w") {
                    assert!(taken.insert((row, column)), "{file}: {} lies on another", panel["title"]);
                }
            }
            let sources =
                panel["targets"].as_array().into_iter().flatten().map(|target| &target["datasource"]);
            assert!(
                sources.chain(panel.get("datasource")).all(|one| one["uid"] == source),
                "{file}: {panel}"
            );
        }
    }
    let provided = text("grafana/provisioning/datasources/farmjank.yaml");
    for kind in ["grafana-postgresql-datasource", "prometheus"] {
        assert!(provided.contains(&format!("type: {kind}\n")), "{kind}");
    }
}
