//! `report`, and what `show --open` opens.

pub(super) mod open;
mod range_review;
mod range_review_args;
mod report;
pub(super) mod report_args;
