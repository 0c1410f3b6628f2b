//! The chores: their names, what they say of themselves, and what each does.

use crate::program::{Failed, Program, root};
use crate::{dist, goldens, site, stats};
use farmjank_scenarios::schema::schema;
use std::fs;
use std::path::Path;

/// Where the schema of scenarios lies that editors read.
const SCHEMA: &str = "scenarios/schema.json";

/// Where that of lab files lies, and what prints it.
const LAB_SCHEMA: (&str, &str) =
    ("plugins/lab/labs/schema.json", "run --quiet --package farmjank-cli -- schema lab");

/// Where the page of all metrics lies, and what prints it.
const METRICS: (&str, &str) =
    ("docs/metrics.md", "run --quiet --package farmjank-cli -- metrics --format markdown");

/// What holds before a change lands, and which programs may be missing.
const CHECKS: [(&str, Need); 6] = [
    ("fmt --all --check", Need::Always),
    ("test --workspace --quiet", Need::Always),
    ("clippy --workspace --all-targets --quiet -- -D warnings", Need::Always),
    ("deny --locked check licenses bans sources", Need::WhenThere("cargo-deny")),
    (
        "deny --locked --manifest-path runner/python/Cargo.toml --config deny.toml check licenses bans sources",
        Need::WhenThere("cargo-deny"),
    ),
    ("ci site", Need::WhenThere("mdbook")),
];

/// Whether a check can be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// It comes with the toolchain.
    Always,
    /// It needs this program, which not everybody has.
    WhenThere(&'static str),
}

/// One chore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chore {
    /// What must hold before a change lands.
    Check,
    /// Goldens written anew.
    Bless,
    /// The schemas written anew.
    Schema,
    /// The page of all metrics written anew.
    Metrics,
    /// The gallery on the demo lab.
    Gallery,
    /// The figures of the statistics.
    Stats,
    /// An archive to hand out.
    Dist,
    /// Hashes and a formula for all archives.
    Release,
    /// Readers driven with what strangers write.
    Fuzz,
    /// The pages as a site.
    Site,
}

/// Every chore with its name and one line about it.
const CHORES: [(Chore, &str, &str); 10] = [
    (Chore::Check, "check", "tests, format, lints, licences: what must hold before a change lands"),
    (Chore::Bless, "bless", "write all goldens anew; review them with `git diff`"),
    (Chore::Schema, "schema", "write the schemas of scenarios and of lab files from what reads them"),
    (Chore::Metrics, "metrics", "write docs/metrics.md from what the metrics say of themselves"),
    (Chore::Gallery, "gallery", "run the gallery on the demo lab; more arguments go to `farmjank run`"),
    (
        Chore::Stats,
        "stats",
        "simulate false alarms, power and coverage; `--pool FILE` takes measured iterations",
    ),
    (
        Chore::Dist,
        "dist",
        "build the binary small and pack it for this kind of machine, or for the target that is named",
    ),
    (
        Chore::Release,
        "release",
        "FOLDER URL: hashes of all archives in it, and a formula of Homebrew for a repository",
    ),
    (Chore::Fuzz, "fuzz", "drive every reader with changes of what it reads; `fuzz 3600` for an hour each"),
    (
        Chore::Site,
        "site",
        "build docs/ as a site with mdBook and follow every link; `--out FOLDER` names where",
    ),
];

/// How to use this, as printed.
pub fn usage() -> String {
    let lines = CHORES.iter().map(|(_, name, about)| format!("  {name:<8} {about}"));
    format!("cargo ci <chore>\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}

impl Chore {
    /// The chore of that name.
    pub fn named(name: &str) -> Option<Chore> {
        CHORES.iter().find(|(_, own, _)| *own == name).map(|(chore, _, _)| *chore)
    }

    /// Whether what follows its name means anything to it.
    pub fn takes_arguments(self) -> bool {
        matches!(
            self,
            Chore::Gallery | Chore::Stats | Chore::Fuzz | Chore::Dist | Chore::Release | Chore::Site
        )
    }

    /// Does it.
    ///
    /// # Errors
    /// What failed, in words.
    pub fn run(self, rest: &[String]) -> Result<(), Failed> {
        match self {
            Chore::Check => check(),
            Chore::Bless => goldens::bless(),
            Chore::Schema => {
                write(SCHEMA, &schema())?;
                write(LAB_SCHEMA.0, &Program::cargo(LAB_SCHEMA.1).output()?)
            }
            Chore::Metrics => write(METRICS.0, &Program::cargo(METRICS.1).output()?),
            Chore::Gallery => Program::cargo("run --release --quiet --package farmjank-cli --")
                .words("run --lab demo scenarios/gallery")
                .args(rest)
                .run(),
            Chore::Stats => stats::report(rest),
            Chore::Dist => match rest {
                [] => dist::pack(None),
                [target] => dist::pack(Some(target)),
                _ => Err(Failed("dist takes one target, such as x86_64-unknown-linux-musl".to_owned())),
            },
            Chore::Release => match rest {
                [folder, home] => dist::release::announce(Path::new(folder), home),
                _ => Err(Failed(
                    "release takes the folder of all archives, and the address of the repository".to_owned(),
                )),
            },
            Chore::Fuzz => fuzz(rest),
            Chore::Site => site::build(rest),
        }
    }
}

/// Drives every target of `fuzz/` for so many seconds, a minute where none are named.
fn fuzz(rest: &[String]) -> Result<(), Failed> {
    let seconds = rest.first().map_or("60", String::as_str);
    if rest.len() > 1 || seconds.parse::<u32>().is_err() {
        return Err(Failed(format!("`{}` is no number of seconds", rest.join(" "))));
    }
    let test = Program::cargo("test --release --quiet --manifest-path fuzz/Cargo.toml --test corpus");
    test.words("-- --nocapture").env("FARMJANK_FUZZ_SECONDS", seconds).run()
}

/// Runs every check, also after one failed: one round shows everything.
fn check() -> Result<(), Failed> {
    let mut failed = Vec::new();
    for (words, need) in CHECKS {
        let name = words.split(' ').next().unwrap_or(words);
        if let Need::WhenThere(program) = need
            && !Program::new(program, program, "--version").succeeds()
        {
            println!(
                "{program} is not installed: cargo {name} is skipped; `cargo install --locked {program}` adds it"
            );
            continue;
        }
        if let Err(Failed(why)) = Program::cargo(words).run() {
            eprintln!("{why}");
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failed(format!("failed: {}", failed.join(", ")))) }
}

/// Writes a file that is made from the code, when it is not already what it should be.
fn write(file: &str, text: &str) -> Result<(), Failed> {
    let path = root().join(file);
    if fs::read_to_string(&path).is_ok_and(|old| old == text) {
        println!("{file} is up to date");
        return Ok(());
    }
    fs::write(&path, text).map_err(|why| Failed(format!("{file} cannot be written: {why}")))?;
    println!("{file} is written anew");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chore_answers_to_its_name_and_stands_in_the_usage() {
        for (chore, name, about) in CHORES {
            assert_eq!(Chore::named(name), Some(chore));
            assert!(usage().contains(name) && usage().contains(about));
        }
        assert_eq!(Chore::named("sweep"), None);
        assert_eq!(Chore::named(""), None);
    }

    #[test]
    fn check_is_what_the_pipeline_does() {
        let pipeline = fs::read_to_string(root().join(".ci/run")).unwrap();
        // tests have a database beside them there; what they are is the same
        let plain = pipeline.lines().map(|line| line.strip_prefix(".ci/with-postgres ").unwrap_or(line));
        let lines: Vec<&str> = plain.filter_map(|line| line.strip_prefix("cargo ")).collect();
        assert_eq!(lines, CHECKS.map(|(words, _)| words), "make .ci/run and `cargo ci check` agree again");
    }
}
