//! Flags of the virtual lab, and of what runs say of phones.

use super::HealthArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `farmjank lab`
#[derive(Args, Debug, Clone)]
pub struct LabArgs {
    /// What to do with it; lists the gallery when left out.
    #[command(subcommand)]
    pub command: Option<LabCommand>,
}

/// What can be done with a lab.
#[derive(Subcommand, Debug, Clone)]
pub enum LabCommand {
    /// List the gallery.
    List,
    /// What the runs of the last days say of each phone: jobs, times it left, what was done for it, faults of the lab,
    /// heat, day by day; and the phone to replace, where one stands out of the others.
    Health(HealthArgs),
    /// Serve a lab in real time on loopback: as an adb server, and as phones the stock adb can connect to.
    Serve(ServeArgs),
}

/// `farmjank lab serve`
#[derive(Args, Debug, Clone)]
pub struct ServeArgs {
    /// A name from `farmjank lab`, or a lab file.
    #[arg(default_value = "demo", value_name = "NAME|FILE")]
    pub lab: String,
    /// Port of the adb server; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Also serve every phone as an adb daemon, for `adb connect`.
    #[arg(long)]
    pub daemons: bool,
    /// Seed.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// When interrupted, write the truth here: every frame that existed, as JSON.
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
}
