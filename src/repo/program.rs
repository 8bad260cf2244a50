//! The one door to the git program.
