//! What the page and the comment show: data without a decision how it is printed.

pub(crate) mod links;
pub(crate) mod page;
pub(crate) mod range_review;
