//! What farmjank wants: YAML text → [`scenario::Scenario`]s or complaints → a plan. Sync and pure.
//!
//! ```
//! use farmjank_results::file_error::FileProblem;
//! use farmjank_results::metric::{Better, Unit};
//! use farmjank_scenarios::read::{ReadOptions, SourceFile, read};
//! use std::collections::BTreeMap;
//!
//! let yaml = "name: Home feed
//! appId: com.example.shop
//! steps:
//!   - measure: fling the feed
//!     steps: [ { swipe: { direction: UP, duration: 250ms } } ]
//! tresholds:
//!   fps: 'mean >= 55'
//! ";
//! let nothing = |_: &str| Err(FileProblem::Missing);
//! let options = ReadOptions { metrics: &[("fps", Unit::Fps, Better::Higher)], sources: &nothing };
//! let file = |text: String| [SourceFile { name: "feed.yaml".to_owned(), text: text.into_bytes() }];
//!
//! // Every mistake at once, with its place and its cure.
//! let complaints = read(&file(yaml.to_owned()), &BTreeMap::new(), &options).unwrap_err();
//! assert_eq!((complaints.len(), complaints[0].place.line), (1, 6));
//! assert!(complaints[0].instead.contains("thresholds"));
//!
//! let right = yaml.replace("tresholds", "thresholds");
//! assert_eq!(read(&file(right), &BTreeMap::new(), &options).map(|all| all[0].name.clone()), Ok("Home feed".to_owned()));
//! ```
//!
//! Three stages. [`read`](mod@read): text in, scenarios out, or every [`complaint`] of every file at once. The checked
//! [`scenario`]s are made of [`step`]s, [`gesture`]s and target [`page`]s, say with a [`requirement`] which phones
//! qualify and with a [`threshold`] what must hold; each part remembers its [`place`]. [`plan`](mod@plan): scenarios ×
//! phones become jobs in a stable order. [`vocabulary`] is the one table of commands and keys; it drives the reader and
//! the JSON [`schema`] for editors alike.
//!
//! Text in, values out: files that a scenario runs are fetched through [`read::Sources`], which the caller provides.

pub mod complaint;
pub mod gallery;
pub mod gesture;
pub mod import;
pub mod inventory;
mod keycode;
mod node;
pub mod page;
pub mod place;
pub mod plan;
pub mod prepare;
pub mod quarantine;
pub mod read;
pub mod requirement;
pub mod scenario;
pub mod schema;
pub mod selector;
mod source;
pub mod step;
pub mod template;
pub mod threshold;
pub mod vocabulary;
pub mod windows;
mod yaml;

pub use source::complaint_in;
