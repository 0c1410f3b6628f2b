//! Stories, simulation, wire, truth and tidy tests of the whole.
