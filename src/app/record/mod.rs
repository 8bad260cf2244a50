//! Commands that write ledgers: filing, retracting and redacting readings, and repair. Each command takes a request and
//! returns what it did; all of them write through one [`transaction`]. Run logs are written by the same protocol
//! ([`runlog`]). Prints nothing.

pub(crate) mod eval;
pub(crate) mod filing;
pub(crate) mod fold;
pub(crate) mod redact;
pub(crate) mod repair;
pub(crate) mod retract;
pub(crate) mod transaction;
