//! Frame sources: what phones print about their frames, read and sampled.
