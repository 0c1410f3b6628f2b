//! The exchange: what each must promise, and swarms of hosts on the model.

mod cluster;
mod conformance;
mod letting_in;
mod roles;
mod swarm;
mod upkeep;
