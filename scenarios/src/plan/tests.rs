//! Plans of scenarios on phones.
