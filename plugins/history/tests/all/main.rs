//! A history store from outside: one suite of promises for every database, and what each must withstand.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests live in the real world")]

mod conformance;
mod file;
mod samples;
mod server;
