//! The report in a real browser: what it shows, what it does when clicked, and that it asks nobody for anything.
//!
//! Chromium is driven through chromedriver on loopback. Where either is missing these tests are skipped with a printed
//! reason, and fail in CI. Must not know how a page is built: only what people see.

mod beside;
mod held;
mod lanes;
mod late;
mod report;
mod side;
mod sweep;
