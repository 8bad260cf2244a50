//! Riddle words: pronouns and free relatives that make a reader look back for the noun. For example "What nobody can tell is
//! not judged" reads plainly as "A scenario is not judged if its content is missing". The words stand in the style guide.

use super::{root, sources, speech};
use std::fs;

/// The words, in lower case.
const RIDDLES: &[&str] = &[
    "nobody",
    "somebody",
    "whoever",
    "whose",
    "of which",
    "that of",
    "those that",
    "what it",
    "ours",
    "told",
    "tells",
];
/// So many of a thousand words may be riddle words.
const AT_MOST: usize = 2;
/// So many places are named.
const WORST: usize = 10;

/// Prose with its place.
struct Prose {
    place: String,
    text: String,
}

#[test]
fn prose_names_the_thing_and_asks_no_riddles() {
    for (kind, prose) in [("comments", comments()), ("documents", documents()), ("messages and help", messages())] {
        let words: usize = prose.iter().map(|one| words(&one.text).len()).sum();
        assert!(words > 1000, "too little of the {kind} is seen: {words} words");
        let mut found: Vec<(usize, &str)> = prose.iter().map(|one| (riddles(&one.text), one.place.as_str())).collect();
        let sum: usize = found.iter().map(|(count, _)| count).sum();
        found.sort_by(|one, other| other.cmp(one));
        let worst: String = found.iter().take(WORST).map(|(count, place)| format!("\n  {count} {place}")).collect();
        println!("{kind}: {sum} riddle words in {words}{worst}");
        assert!(
            sum * 1000 <= AT_MOST * words,
            "{kind}: {sum} riddle words in {words}, at most {AT_MOST} in 1,000{worst}"
        );
    }
}

#[test]
fn riddle_words_are_counted_as_words() {
    assert_eq!(riddles("Nobody told us whose key it is; that\nof the server"), 4);
    assert_eq!(riddles("It is retold hours later, and what is in it"), 0);
}

/// How many riddle words a text has. A line break counts as a space.
fn riddles(text: &str) -> usize {
    let text = format!(" {} ", words(text).join(" "));
    RIDDLES.iter().map(|riddle| text.matches(&format!(" {riddle} ")).count()).sum()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn comments() -> Vec<Prose> {
    let comment =
        |line: &str| line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).to_owned());
    let prose = |(place, text): (String, String)| Prose {
        place,
        text: text.lines().filter_map(comment).collect::<Vec<_>>().join("\n"),
    };
    sources("src").into_iter().map(prose).collect()
}

/// The pages that people read, without their examples.
fn documents() -> Vec<Prose> {
    let pages = sources_of("docs").into_iter().chain(["README.md", "ARCHITECTURE.md"].map(|page| root().join(page)));
    let text = |page: &std::path::Path| {
        let text = fs::read_to_string(page).expect("a page");
        text.split("```").step_by(2).collect::<Vec<_>>().join("\n")
    };
    pages.map(|page| Prose { text: text(&page), place: page.display().to_string() }).collect()
}

fn sources_of(dir: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(root().join(dir)).expect("a directory").flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

fn messages() -> Vec<Prose> {
    let sentences = speech::phrases().into_iter().filter(|phrase| phrase.text.contains(' '));
    sentences.map(|phrase| Prose { place: format!("{}: {}", phrase.file, phrase.text), text: phrase.text }).collect()
}
