//! Collects what the page and the comment show.

pub(crate) mod page;
pub(crate) mod range_review;
