//! The words of the glossary. `explain` reads the table of the documentation, so both say the same.

/// The glossary: a table with one or more words per row, separated by commas, and their meaning.
const GLOSSARY: &str = include_str!("../../../../docs/glossary.md");

/// The meaning of a word as one line. Letter case does not matter.
pub(crate) fn word(name: &str) -> Option<String> {
    let (words, meaning) = rows().find(|(words, _)| words.split(", ").any(|word| word.eq_ignore_ascii_case(name)))?;
    Some(format!("{words}: {}\n", meaning.replace('`', "")))
}

/// Every word of the glossary.
pub(crate) fn word_names() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|(words, _)| words.split(", "))
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let cells = |line: &'static str| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ");
    // the first row is the head of the table
    GLOSSARY.lines().filter_map(cells).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_glossary_is_a_word_that_can_be_asked_for() {
        let lines = GLOSSARY.lines().filter(|line| line.starts_with("| ")).count();
        assert_eq!(rows().count() + 1, lines, "a row that has no two cells, or none behind its head");
        for name in word_names() {
            assert!(word(name).is_some_and(|text| text.contains(": ")), "{name}");
        }
    }
}
