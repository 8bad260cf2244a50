//! Writes the page as HTML and the comment as Markdown and JSON.

pub(crate) mod badge;
pub(crate) mod page;
pub(crate) mod range_review;
pub(crate) mod written;
