//! The append-only rule: every line of every base is still there.
