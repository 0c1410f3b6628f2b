//! What the crate promises to others: the grammar of limits, the format of the log, the laws of its order.

mod cells;
mod events;
mod excused;
mod faults;
mod judge;
mod limits;
mod log;
mod quarantine;
mod record;
mod rerun;
mod shards;
mod versions;
