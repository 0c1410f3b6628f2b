//! What tests of several crates hold our work against, and what shares no code with it: the stock adb programs, a
//! browser, a reader of XML, a validator of JSON, a profiler, Perfetto's reader, a NATS server; and the ports such
//! programs get. Must not know: any crate of ours.
//!
//! ```
//! use farmjank_witnesses::xml::read;
//!
//! let report = read("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><b c=\"1 &lt; 2\"/></a>").unwrap();
//! assert_eq!(report.one("b").unwrap().attribute("c"), "1 < 2");
//! assert!(read("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><b></a>").is_err());
//! ```

pub mod art;
pub mod browser;
pub mod nats;
pub mod perfetto;
pub mod ports;
pub mod s3;
pub mod schema;
pub mod simpleperf;
pub mod stock;
pub mod xml;
