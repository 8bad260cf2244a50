//! The floor: a process that starts and ends.

fn main() {}
