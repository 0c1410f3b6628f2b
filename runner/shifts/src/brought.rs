//! What a run brings, builds and files by which methods are told: left on the farm once, whoever runs with them, and
//! fetched by each host.

use farmjank_engine::builds::{BuildFile, Install};
use farmjank_farm::digest;
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode, Persistence};
use farmjank_seams::exchange::Exchange;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Longest name of a file that is repeated, characters.
const FILE: usize = 120;
/// Between two looks for what is not there. Whoever conducts the run leaves it again every minute.
const AGAIN: Duration = Duration::from_secs(2);
/// What stays away for so long is lost.
const LOST: Duration = Duration::from_mins(5);

/// A build that a run brings, which lies on the farm as an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    /// The app it is of; none: of every scenario.
    pub app: Option<String>,
    /// Name of its file.
    pub file: String,
    /// SHA-256 of its bytes: what it is called as an object.
    pub sha256: String,
    /// How its code is compiled; none leaves it to the phone.
    pub compile: Option<String>,
    /// Uninstall first where a phone refuses to replace.
    pub reinstall: bool,
}

impl Brought {
    /// What a run brings, as hosts are told.
    pub fn of(install: &Install) -> Brought {
        let Install { app, build, compile, reinstall } = install;
        let (app, file, sha256) = (app.clone(), build.file.clone(), build.sha256.clone());
        Brought { app, file, sha256, compile: compile.clone(), reinstall: *reinstall }
    }

    /// What a host installs: the build with its bytes, which are held against their digest.
    fn with(&self, bytes: Vec<u8>) -> Install {
        let Brought { app, file, sha256, compile, reinstall } = self.clone();
        let build = BuildFile { file: line(&file, FILE), bytes: bytes.into(), sha256 };
        Install { app, build, compile, reinstall }
    }
}

/// A file that a run brings, which lies on the farm as an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBrought {
    /// Its name.
    pub file: String,
    /// SHA-256 of its bytes: what it is called as an object.
    pub sha256: String,
}

/// A file with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// Its name.
    pub file: String,
    /// What is in it.
    pub bytes: Arc<[u8]>,
}

impl FileBytes {
    /// As hosts are told of it.
    pub fn brought(&self) -> FileBrought {
        FileBrought { file: self.file.clone(), sha256: digest::of(&self.bytes) }
    }
}

/// By what methods are told, and whose they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodFiles {
    /// A mapping of R8 or ProGuard.
    pub mapping: Option<FileBytes>,
    /// Who answers for which package.
    pub owners: Option<FileBytes>,
}

/// The builds of a run, with their bytes. A farm that does not answer is waited for as one that lost them.
///
/// # Errors
/// Those of the exchange that do not pass; `farm_unreachable`: a build is not there.
pub(crate) async fn fetched(exchange: &dyn Exchange, builds: &[Brought]) -> Result<Arc<[Install]>, Fault> {
    let mut all = Vec::new();
    for build in builds {
        all.push(build.with(object(exchange, "the build", &build.file, &build.sha256).await?));
    }
    Ok(all.into())
}

/// A file of a run, with its bytes, likewise.
///
/// # Errors
/// As [`fetched`].
pub(crate) async fn fetched_file(
    exchange: &dyn Exchange,
    named: Option<&FileBrought>,
) -> Result<Option<FileBytes>, Fault> {
    let Some(FileBrought { file, sha256 }) = named else { return Ok(None) };
    let bytes = object(exchange, "the file", file, sha256).await?.into();
    Ok(Some(FileBytes { file: line(file, FILE), bytes }))
}

async fn object(exchange: &dyn Exchange, what: &str, file: &str, sha256: &str) -> Result<Vec<u8>, Fault> {
    let since = Instant::now();
    loop {
        let why = match digest::fetch(exchange, sha256).await {
            Ok(Some(bytes)) => return Ok(bytes),
            Ok(None) => {
                let what = format!("the farm does not have {what} {}", line(file, FILE));
                Fault::new(FaultCode::FarmUnreachable, what)
                    .passing()
                    .advise("whoever began the run has it: run it again from there")
            }
            Err(fault) if fault.persistence == Persistence::Passing => fault,
            Err(fault) => return Err(fault),
        };
        if since.elapsed() > LOST {
            return Err(why);
        }
        sleep(AGAIN).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_farm::model::{Model, Weather};
    use farmjank_results::time::Span;

    const BYTES: &[u8] = b"a build";

    fn build() -> Brought {
        let (app, compile) = (None, None);
        Brought { app, file: "new.apk".to_owned(), sha256: digest::of(BYTES), compile, reinstall: false }
    }

    /// What a host gets where the build is left after that time; none: never.
    fn got(left: Option<Duration>) -> (Result<Arc<[Install]>, Fault>, Duration) {
        let exchange =
            Model::new(Span::from_ms(45_000), Span::from_ms(30_000), 1 << 20).connect(Weather::calm());
        let leaving = async {
            if let Some(after) = left {
                sleep(after).await;
                digest::leave(&exchange, BYTES).await.expect("a model takes it");
            }
        };
        let builds = [build()];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let since = Instant::now();
            let (got, ()) = futures::join!(fetched(&exchange, &builds), leaving);
            (got, since.elapsed())
        })
    }

    #[test]
    fn a_build_that_the_farm_lost_is_waited_for_until_it_is_left_again() {
        let (got, took) = got(Some(Duration::from_secs(61)));
        let got = got.expect("it is there by then");
        assert_eq!((&*got[0].build.bytes, got[0].build.file.as_str()), (BYTES, "new.apk"));
        assert!(took < Duration::from_secs(64), "{took:?}");
    }

    #[test]
    fn a_build_that_nobody_leaves_is_told_by_its_name_and_waited_for_no_longer() {
        let (got, took) = got(None);
        let fault = got.expect_err("it is nowhere");
        assert_eq!(fault.code, FaultCode::FarmUnreachable);
        assert!(fault.to_string().contains("the farm does not have the build new.apk"), "{fault}");
        assert!((LOST..LOST + AGAIN * 2).contains(&took), "{took:?}");
    }
}
