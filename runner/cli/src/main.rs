//! The `farmjank` command.
fn main() {}
