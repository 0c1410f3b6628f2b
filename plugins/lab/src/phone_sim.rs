//! What a phone does by itself: frames as a function of touches, launches and load.
//!
//! A [`PhoneSim`] is advanced in one canonical order: acts, panel decisions and frames by their instants, whatever the
//! rhythm of asking. What happened can be replayed from the log of acts, so nothing has to be remembered for the
//! truth. Times are ns on CLOCK_MONOTONIC. Must not know commands or text formats.

pub mod activities;
pub mod acts;
pub mod compositor;
pub mod dispatcher;
pub mod finger;
pub mod flinger;
pub mod hwui;
pub mod install;
pub mod journal;
pub mod layer;
pub mod life;
pub mod main_thread;
pub mod motion;
pub mod names;
pub mod pace;
pub mod panel;
pub mod pipeline;
pub mod planning;
mod planted;
pub mod produce;
pub mod producer;
pub mod setup;
pub mod state;
pub mod surfaces;
pub mod touch;
pub mod window;
pub mod world;
