//! Reporters: a recorded run in, text and files out. Pure.
