//! Everything of ours in one view.
