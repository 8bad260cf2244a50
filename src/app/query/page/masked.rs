//! Secrets in what a page tells are masked, and counted.

use crate::text::secrets::mask;

/// Masks texts, and knows how many secrets there were.
#[derive(Debug, Default)]
pub(super) struct Masker {
    /// How many.
    pub(super) count: usize,
}

impl Masker {
    /// `text` without the secrets that are known by their shape.
    pub(super) fn text(&mut self, text: &str) -> String {
        let masked = mask(text);
        self.count += masked.count;
        masked.text.into_owned()
    }
}
