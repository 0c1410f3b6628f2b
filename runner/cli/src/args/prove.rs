//! Flags of `farmjank doctor`.

use super::{LenderFlag, ListingFormat, PhoneArgs};
use clap::Args;
use std::path::PathBuf;

/// `farmjank doctor`
#[derive(Args, Debug, Clone)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub phones: PhoneArgs,
    #[command(flatten)]
    pub lenders: LenderFlag,
    /// Put what farmjank believes about phones to the test on this one, in about a minute of scrolling its own
    /// Settings: print each belief, whether it held and on what evidence, and write an archive without private data to
    /// attach to an issue.
    #[arg(long, value_name = "SERIAL", num_args = 0..=1, default_missing_value = "")]
    pub prove: Option<String>,
    /// Judge an archive that `--prove` wrote, instead of a phone.
    #[arg(long, value_name = "ARCHIVE", requires = "prove", conflicts_with_all = ["serials", "device_filter", "lab", "out"])]
    pub from: Option<PathBuf>,
    /// Where `--prove` writes its archive; named after the phone's model in this folder by default.
    #[arg(short, long, value_name = "FILE", requires = "prove")]
    pub out: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table", conflicts_with = "prove")]
    pub format: ListingFormat,
}

/// `farmjank devices`
#[derive(Args, Debug, Clone)]
pub struct DevicesArgs {
    /// Say only who uses which phone, and ask the phones nothing.
    #[arg(long)]
    pub who: bool,
    /// How to print.
    #[arg(long, value_enum, default_value = "table", conflicts_with = "who")]
    pub format: ListingFormat,
    #[command(flatten)]
    pub phones: PhoneArgs,
    #[command(flatten)]
    pub lenders: LenderFlag,
}

impl DoctorArgs {
    /// Its phones.
    pub fn phones(&self) -> PhoneArgs {
        self.phones.with(&self.lenders)
    }
}

impl DevicesArgs {
    /// Its phones.
    pub fn phones(&self) -> PhoneArgs {
        self.phones.with(&self.lenders)
    }
}
