//! Masks and counts the secrets in the texts of a page.

use crate::text::secrets::mask;

/// Masks texts and counts their secrets.
#[derive(Debug, Default)]
pub(super) struct Masker {
    /// Secrets that were masked so far.
    pub(super) count: usize,
}

impl Masker {
    /// `text` without secrets of a known shape, e.g. a GitHub token.
    pub(super) fn text(&mut self, text: &str) -> String {
        let masked = mask(text);
        self.count += masked.count;
        masked.text.into_owned()
    }
}
