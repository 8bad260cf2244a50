//! Questions that change nothing: the score of scenarios, what an edit would make stale, what is judged by.

pub mod drift;
pub mod impact;
pub mod ls;
pub mod settings;
pub mod show;
pub mod terms;
mod view;
