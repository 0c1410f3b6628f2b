//! What a step uses: an action of ours is run; what those of others are for is done here, with folders.

use super::Runner;
use crate::world::Ended;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// What a step hands to an action.
struct With<'w>(&'w [(String, String)]);

impl With<'_> {
    fn given(&self, name: &str) -> Option<String> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    }

    fn needed(&self, name: &str) -> String {
        self.given(name).unwrap_or_else(|| panic!("a step hands on no {name}"))
    }
}

impl Runner {
    /// A step of an action: ours are run, of others it is done what they are for.
    pub(super) fn used(
        &mut self,
        uses: &str,
        with: &[(String, String)],
        outputs: &mut Map<String, Value>,
    ) -> Ended {
        let mut code = 0;
        if let Some(own) = uses.strip_prefix("./") {
            let with: Vec<(&str, &str)> =
                with.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let acted = self.action(&self.work().join(own), &with);
            outputs.extend(acted.outputs.into_iter().map(|(name, value)| (name, json!(value))));
            code = i32::from(!acted.succeeded);
        } else {
            let with = With(with);
            match uses {
                "actions/checkout@v4" | "actions/cache@v4" => {}
                "actions/cache/restore@v4" => {
                    if let Some(matched) = self.restore(&with) {
                        outputs.insert("cache-matched-key".to_owned(), json!(matched));
                    }
                }
                "actions/cache/save@v4" => {
                    let (from, to) =
                        (self.work().join(with.needed("path")), self.caches().join(with.needed("key")));
                    // What has this name stays as it is.
                    if !to.exists() && from.exists() {
                        copy(&from, &to);
                    }
                }
                "actions/upload-artifact@v4" => self.upload(&with),
                "actions/download-artifact@v4" => code = i32::from(!self.download(&with)),
                other => panic!("what {other} does is not known here"),
            }
        }
        Ended { code, out: String::new(), err: String::new() }
    }

    /// The newest cache that fits, and its key.
    fn restore(&self, with: &With<'_>) -> Option<String> {
        let (key, start) = (with.needed("key"), with.given("restore-keys").unwrap_or_default());
        let all = std::fs::read_dir(self.caches()).into_iter().flatten().flatten();
        let fits = all.filter(|one| {
            let name = one.file_name().to_string_lossy().into_owned();
            name == key || (!start.is_empty() && name.starts_with(start.trim()))
        });
        let newest = fits.max_by_key(|one| one.metadata().and_then(|known| known.modified()).ok())?;
        copy(&newest.path(), &self.work().join(with.needed("path")));
        Some(newest.file_name().to_string_lossy().into_owned())
    }

    /// Where the artifacts of a run stand for others.
    pub fn artifacts_of(&self, run: &str) -> PathBuf {
        self.folder.join("runs").join(run)
    }

    fn upload(&self, with: &With<'_>) {
        let (from, name) = (self.work().join(with.needed("path")), with.needed("name"));
        if from.exists() {
            copy(&from, &self.artifact(&name));
            copy(&from, &self.artifacts_of(&self.github["run_id"].to_string()).join(name));
        } else {
            let missing = with.given("if-no-files-found");
            assert_eq!(missing.as_deref(), Some("ignore"), "{}", from.display());
        }
    }

    /// One artifact into a folder, or all that fit a pattern into folders of their names. One of another run may be
    /// gone.
    fn download(&self, with: &With<'_>) -> bool {
        let to = self.work().join(with.needed("path"));
        if let Some(run) = with.given("run-id") {
            assert_eq!(self.github["token"], with.needed("github-token").as_str(), "it is asked for");
            let from = self.artifacts_of(&run).join(with.needed("name"));
            return from.exists().then(|| copy(&from, &to)).is_some();
        }
        if let Some(name) = with.given("name") {
            copy(&self.artifact(&name), &to);
            return true;
        }
        let pattern = with.needed("pattern");
        let start = pattern.strip_suffix('*').expect("a pattern with a star at its end");
        for entry in std::fs::read_dir(self.folder.join("artifacts")).expect("artifacts") {
            let entry = entry.expect("one");
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(start) {
                copy(&entry.path(), &to.join(name));
            }
        }
        true
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).expect("a copy");
        }
    }
}
