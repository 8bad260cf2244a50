//! The index, a commit and the working tree as [`Tree`]s.
