//! Tests whose people have keys: `ssh-keygen` makes the keys and the signatures.

mod export;
mod holding;
mod independence;
mod keygen;
mod needs_python3;
mod policy;
mod runs;
mod signing;
mod threats;

use super::*;
