//! Facts in, findings out: one file per rule, one table. Pure and infallible.
