//! The steps of one scenario, in order. From the first Then on they are the expected result.

use crate::text::escape::is_blank;

/// The words that begin a step, in lower case.
const WORDS: [&str; 5] = ["given", "when", "then", "and", "but"];

/// Whether `word` begins a step, in any case.
pub(super) fn is_step_word(word: &str) -> bool {
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    before: Vec<String>,
    after: Vec<String>,
    /// Whether further lines belong to the last step of `after`.
    is_after: bool,
    bytes: usize,
}

impl Steps {
    /// Begins the step `word text`, for example `Given a cart`. The word may be empty.
    pub(super) fn begin(&mut self, word: &str, text: &str) {
        self.is_after = !self.after.is_empty() || word.eq_ignore_ascii_case("then");
        let joint = if word.is_empty() || text.is_empty() { "" } else { " " };
        let step = format!("{word}{joint}{text}");
        self.bytes += step.len() + 2;
        self.part().push(step);
    }

    /// Begins a step that is part of the description also after a Then.
    pub(super) fn begin_before(&mut self, text: &str) {
        self.is_after = false;
        self.bytes += text.len() + 2;
        self.before.push(text.to_owned());
    }

    /// Continues the last step after `joint`. Without a step, the text is a step by itself.
    pub(super) fn go_on(&mut self, joint: char, text: &str) {
        self.bytes += text.len() + 1;
        match self.part().last_mut() {
            Some(step) => {
                step.push(joint);
                step.push_str(text);
            }
            None => self.begin("", text),
        }
    }

    /// Removes a comma from the end of the last step, because another step follows.
    pub(super) fn drop_comma(&mut self) {
        if let Some(step) = self.part().last_mut() {
            step.truncate(step.trim_end().trim_end_matches(',').len());
        }
    }

    fn part(&mut self) -> &mut Vec<String> {
        if self.is_after { &mut self.after } else { &mut self.before }
    }

    pub(super) fn has_none(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// At least the bytes of all steps, joined.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn before(&self) -> impl Iterator<Item = &str> {
        self.before.iter().map(String::as_str)
    }

    pub(super) fn after(&self) -> impl Iterator<Item = &str> {
        self.after.iter().map(String::as_str)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.before().chain(self.after())
    }
}

/// The steps as one text; `None` if it would be blank.
pub(super) fn joined<'s>(steps: impl Iterator<Item = &'s str>) -> Option<String> {
    let text = steps.collect::<Vec<_>>().join("; ");
    (!is_blank(&text)).then_some(text)
}

/// `text` on one line, with single blanks. `instead`, if nothing of it can be seen.
pub(super) fn one_line(text: &str, instead: &str) -> String {
    match is_blank(text) {
        true => instead.to_owned(),
        false => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}
