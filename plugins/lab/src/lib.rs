//! The virtual phone lab: phones that print what real phones print, with the truth beside it.

pub mod chance;
pub mod phone;
pub mod spec;
pub mod truth;
