//! What people and CI are told: the score, what hides what, and the formats of forges.

mod ci;
mod excerpts;
mod hides;
mod score;
