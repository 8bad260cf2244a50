//! Whether the content of a governed path is the same in two trees.
