//! Everybody who is let into a farm, by public keys, and what its server is told of them.
//!
//! Must not know: seeds, files.

use crate::roles::{Rights, Role};
use crate::subjects::{Names, word};
use farmjank_results::fault::{Fault, FaultCode};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the credentials of who makes streams are called, and those of who runs the server.
const KEEPER: &str = "keeper";
const OPERATOR: &str = "operator";

/// Who is let in. It is kept beside what it is written into, so that others can be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// Of these words.
    pub v: u32,
    /// The server's name, as others dial it.
    pub name: String,
    /// Where it listens.
    pub listen: String,
    /// Each team, and its hosts.
    pub teams: BTreeMap<String, BTreeSet<String>>,
    /// The public key of each of the credentials.
    pub keys: BTreeMap<String, String>,
}

impl Roster {
    /// Of a server with nobody let in.
    pub fn new(name: &str, listen: &str) -> Roster {
        let (name, listen) = (name.to_owned(), listen.to_owned());
        Roster { v: 1, name, listen, teams: BTreeMap::new(), keys: BTreeMap::new() }
    }

    /// Adds a team with hosts. Two teams have no host of one name: they would take each other's work.
    ///
    /// # Errors
    /// `usage`: something cannot be a name, or the host is another team's.
    pub fn add(&mut self, team: &str, hosts: &[String]) -> Result<(), Fault> {
        word("team", team)?;
        for host in hosts {
            word("host", host)?;
            let taken = self.teams.iter().find(|(other, hosts)| *other != team && hosts.contains(host));
            if let Some((other, _)) = taken {
                let what = format!("host {host} is of team {other}");
                return Err(Fault::new(FaultCode::Usage, what).advise("call this one otherwise"));
            }
        }
        self.teams.entry(team.to_owned()).or_default().extend(hosts.iter().cloned());
        Ok(())
    }

    /// What each of the credentials is called, and its role.
    ///
    /// # Errors
    /// `usage`: something cannot be a name.
    pub fn credentials(&self) -> Result<Vec<(String, Role)>, Fault> {
        let mut all = Vec::new();
        for (team, hosts) in &self.teams {
            let names = Names::of(team)?;
            for host in hosts {
                word("host", host)?;
                all.push((format!("agent-{host}"), Role::Agent(names.clone(), host.clone())));
            }
            all.push((format!("run-{team}"), Role::Run(names.clone(), hosts.iter().cloned().collect())));
            all.push((format!("viewer-{team}"), Role::Viewer(names)));
        }
        let teams: Result<Vec<Names>, Fault> = self.teams.keys().map(|team| Names::of(team)).collect();
        let teams = teams?;
        all.push((KEEPER.to_owned(), Role::Keeper(teams.clone())));
        all.push((OPERATOR.to_owned(), Role::Operator(teams)));
        Ok(all)
    }

    /// What the server is told: `nats.conf`.
    ///
    /// # Errors
    /// `usage`: something cannot be a name.
    pub fn config(&self) -> Result<String, Fault> {
        let mut users = String::new();
        for (called, role) in self.credentials()? {
            if let Some(key) = self.keys.get(&called) {
                users.push_str(&format!("    # {called}\n{}", user(key, &role.rights(key))));
            }
        }
        Ok(format!(
            "# A farm's server; `farmjank farm init` writes this anew. Files are looked for in the server's own folder.\n\
             server_name: {name}\nlisten: {listen}\n\
             # What it says of itself, to this computer alone.\nhttp: \"127.0.0.1:8222\"\n\
             max_payload: 1048576\n\
             # Without `always` a power cut takes back what was promised.\n\
             jetstream {{ store_dir: \"store\", sync_interval: always }}\n\
             tls {{ cert_file: \"server.pem\", key_file: \"server.key\", timeout: 5 }}\n\
             authorization {{\n  timeout: 5\n  users: [\n{users}  ]\n}}\n\
             # What is yours, such as a cluster: no command writes there.\ninclude \"local.conf\"\n",
            name = quoted(&self.name),
            listen = quoted(&self.listen),
        ))
    }
}

fn user(key: &str, rights: &Rights) -> String {
    let list = |subjects: &[String]| {
        subjects.iter().map(|subject| format!("        {}\n", quoted(subject))).collect::<String>()
    };
    format!(
        "    {{ nkey: {}, permissions: {{\n      publish: {{ allow: [\n{}      ] }}\n      subscribe: {{ allow: [\n{}      ] }}\n    }} }}\n",
        quoted(key),
        list(&rights.publish),
        list(&rights.subscribe)
    )
}

/// As the server's configuration writes text.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_of_one_team_and_who_has_no_key_is_not_let_in() {
        let mut roster = Roster::new("farm.example", "0.0.0.0:4222");
        roster.add("pay", &["a".to_owned(), "b".to_owned()]).expect("words");
        roster.add("pay", &["b".to_owned()]).expect("again");
        let fault = roster.add("web", &["a".to_owned()]).expect_err("another's");
        assert!(fault.what.contains("host a is of team pay"), "{fault}");
        assert!(roster.add("a.b", &[]).is_err() && roster.add("pay", &["*".to_owned()]).is_err());
        let called: Vec<String> =
            roster.credentials().expect("words").into_iter().map(|(called, _)| called).collect();
        assert_eq!(called, ["agent-a", "agent-b", "run-pay", "viewer-pay", "keeper", "operator"]);
        roster.keys.insert("agent-a".to_owned(), "UAAA".to_owned());
        let config = roster.config().expect("words");
        assert_eq!(config.matches("nkey:").count(), 1);
        assert!(config.contains("\"_INBOX.UAAA.>\"") && config.contains("sync_interval: always"), "{config}");
    }
}
