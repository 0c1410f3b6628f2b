//! `cargo ci stats`: the figures the gate's statistics promise, simulated and held against their limits.
//!
//! Runs on the noise model (docs/design/statistics.md#the-noise-model) and on pools of real or simulated iterations
//! (`--pool FILE`). What it prints is the table of docs/statistics.md. Deterministic: seeds are fixed, threads only
//! share the work.

mod felt;
mod noise;
mod pool;
mod replicate;
mod rows;

use crate::program::{Failed, Program};
use rows::Report;
use std::path::PathBuf;

/// Replicates of a cheap trial when nothing else is asked for.
const REPLICATES: u64 = 10_000;
/// Fewest that are worth a figure: at 2 000 a share of 5 % is known to ±1 %.
const FEWEST: u64 = 2_000;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    replicates: u64,
    pools: Vec<PathBuf>,
}

impl Asked {
    /// The same as arguments again, with paths that hold from any folder.
    fn arguments(&self) -> Result<Vec<String>, Failed> {
        let mut arguments = vec!["--replicates".to_owned(), self.replicates.to_string()];
        for path in &self.pools {
            let absolute = std::path::absolute(path);
            let absolute =
                absolute.map_err(|why| Failed(format!("{} cannot be found: {why}", path.display())))?;
            arguments.extend(["--pool".to_owned(), absolute.to_string_lossy().into_owned()]);
        }
        Ok(arguments)
    }
}

/// Prints the report.
///
/// # Errors
/// Arguments nobody knows, a pool that cannot be read, or a figure outside its limit.
pub fn report(args: &[String]) -> Result<(), Failed> {
    let asked = asked(args)?;
    if cfg!(debug_assertions) {
        println!("simulation is number crunching: going on with a release build");
        let release = Program::cargo("run --release --quiet --package farmjank-ci -- stats");
        return release.args(&asked.arguments()?).run();
    }
    // pools are read first: a misspelt name must not cost minutes
    let pools = asked.pools.iter().map(|path| pool::read(path)).collect::<Result<Vec<_>, Failed>>()?;
    let mut report = Report::default();
    if pools.is_empty() {
        noise::figures(asked.replicates, &mut report);
        felt::figures(asked.replicates, &mut report);
    }
    for (path, pool) in asked.pools.iter().zip(&pools) {
        pool::figures(&path.display().to_string(), pool, asked.replicates, &mut report);
    }
    report.verdict()
}

fn asked(args: &[String]) -> Result<Asked, Failed> {
    let mut asked = Asked { replicates: REPLICATES, pools: Vec::new() };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| Failed(format!("`{arg}` needs a value after it")));
        match arg.as_str() {
            "--pool" => asked.pools.push(PathBuf::from(value()?)),
            "--replicates" => {
                let given = value()?;
                let enough = given.parse().ok().filter(|count| *count >= FEWEST);
                asked.replicates = enough.ok_or_else(|| {
                    Failed(format!("`{given}` replicates: give a number of at least {FEWEST}"))
                })?;
            }
            other => {
                let words = "`--pool FILE` (session,iteration,value) and `--replicates N` are known";
                return Err(Failed(format!("`{other}` is not an argument of stats; {words}")));
            }
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_or_refused() {
        let read = |words: &str| asked(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("").unwrap(), Asked { replicates: REPLICATES, pools: vec![] });
        let two = read("--pool a.csv --replicates 2500 --pool b.csv").unwrap();
        assert_eq!(two, Asked { replicates: 2_500, pools: vec!["a.csv".into(), "b.csv".into()] });
        assert_eq!(asked(&two.arguments().unwrap()).unwrap().replicates, 2_500);
        assert!(
            two.arguments().unwrap()[3].ends_with("/a.csv") && two.arguments().unwrap()[3].starts_with('/')
        );
        assert!(read("--pool").is_err() && read("--replicates 50").is_err() && read("--fast").is_err());
    }
}
