//! Phones from outside: what they print, against what they say was true.

mod dialects;
mod driving;
mod faults;
mod launches;
mod other_readers;
mod paces;
mod packets;
mod purity;
mod readers;
mod real;
mod ring;
mod summary;
mod touching;
mod tracing;
mod walk;
