//! Frames, from dumps to the intervals of a window: what stitching, period detection and cutting promise.

// cut
// cut_laws
mod film;
mod incarnations;
mod periods;
mod stitch;
mod stitch_laws;
mod switches;
