//! The reports for people and CI: the score, hidden findings, and the formats of forges.

mod ci;
mod excerpts;
mod hides;
mod score;
