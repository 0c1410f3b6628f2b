//! Plugins that lend phones: phone clouds, STF and DeviceHub, boards that switch cables.
//!
//! [`message`] has what is asked and answered, [`ledger`] which answers are due, [`lender`] is one plugin, [`desk`]
//! which phones are lent by whom and held how, [`provider`] all of it as a
//! [`Provider`](farmjank_seams::device::Provider) over that of the adb servers, through which lent phones are reached.

pub(crate) mod arrivals;
pub(crate) mod desk;
pub(crate) mod device;
pub(crate) mod ledger;
pub(crate) mod lender;
pub mod message;
pub mod provider;
