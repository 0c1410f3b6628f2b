//! Frames, from dumps to the intervals of a window: what stitching, period detection and cutting promise.

mod cut;
mod cut_laws;
mod divided;
mod evening;
mod film;
mod held_rates;
mod incarnations;
mod paces;
mod periods;
mod slow_ends;
mod stitch;
mod stitch_laws;
mod switches;
mod touches;
