//! The virtual phone lab: phones that print what real phones print, with the truth beside it.
