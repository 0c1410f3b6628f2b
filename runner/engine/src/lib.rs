//! Conducts a run: dispatch, trials, collection, measurement.
