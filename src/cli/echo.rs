//! Messages repeat typed text, but at most [`ECHO`] characters of it. Messages are made in many places; all of them are
//! cut here, just before they are printed.

use crate::error::Error;
use crate::text::escape::{ECHO, echo};
use std::borrow::Cow;
use std::ffi::OsString;

/// The prefixes of the variables that the program reads and messages may repeat.
const VARIABLES: [&str; 5] = ["GIT_", "PRE_COMMIT_", "PREK_", "SKIP", "YATSU_HOOK"];

/// `error` with every long argument and variable in it cut.
pub(crate) fn brief(error: &Error) -> Error {
    let long = typed();
    let hints = error.hints.iter().map(|hint| cut(hint, &long)).collect();
    Error { message: cut(&error.message, &long), hints, ..error.clone() }
}

/// `text` with every long argument and variable in it cut.
pub(super) fn brief_text(text: &str) -> String {
    cut(text, &typed())
}

/// The texts to cut, the longest first, so that a whole is cut before its parts.
fn typed() -> Vec<String> {
    let is_read = |name: &OsString| VARIABLES.iter().any(|read| name.to_string_lossy().starts_with(read));
    let variables = std::env::vars_os().filter(|(name, _)| is_read(name)).map(|(_, value)| value);
    too_long(std::env::args_os().skip(1).chain(variables))
}

fn too_long(texts: impl Iterator<Item = OsString>) -> Vec<String> {
    let texts: Vec<String> = texts.map(|text| text.to_string_lossy().into_owned()).collect();
    let mut long: Vec<String> = texts.iter().flat_map(|text| spellings(text)).filter(|text| is_long(text)).collect();
    long.sort_by_key(|text| std::cmp::Reverse(text.len()));
    long.dedup();
    long
}

fn is_long(text: &str) -> bool {
    text.chars().nth(ECHO).is_some()
}

/// The spellings in which a typed word may stand in a message: whole, the value of a flag, a path without `./` and the
/// final slash, its directory, the path after `file:`, the ends of a range.
fn spellings(text: &str) -> Vec<String> {
    let value = text.split_once('=').filter(|(flag, _)| flag.starts_with('-')).map(|(_, value)| value);
    let glued = text.strip_prefix('-').and_then(|rest| rest.get(1..));
    let plain = |text: &str| text.trim_start_matches("./").trim_end_matches('/').to_owned();
    let dir = |text: &str| plain(text).rsplit_once('/').map(|(dir, _)| dir.to_owned()).unwrap_or_default();
    let ends = text.split_once("..");
    let placed = text.strip_prefix("file:");
    let words =
        [Some(text), value, glued, placed, ends.map(|(from, _)| from), ends.map(|(_, to)| to)].into_iter().flatten();
    words.flat_map(|text| [text.to_owned(), plain(text), dir(text)]).collect()
}

fn cut(text: &str, long: &[String]) -> String {
    let mut shown = Cow::Borrowed(text);
    for typed in long {
        // debug printing escapes some of them
        let quoted = format!("{typed:?}");
        let quoted = quoted.trim_matches('"');
        for form in [typed.as_str(), quoted] {
            if shown.contains(form) {
                shown = Cow::Owned(shown.replace(form, &echo(typed)));
            }
        }
    }
    shown.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(args: &[&str], text: &str) -> String {
        cut(text, &too_long(args.iter().map(OsString::from)))
    }

    #[test]
    fn what_was_typed_is_cut_however_it_was_typed() {
        let (long, short) = ("x".repeat(200), format!("{}…", "x".repeat(80)));
        for arg in [long.clone(), format!("--rev={long}"), format!("-o{long}"), format!("./{long}/")] {
            assert_eq!(after(&[&arg], &format!("`{long}` is nothing")), format!("`{short}` is nothing"), "{arg}");
        }
        let spelled = format!("{}\u{200b}", long);
        assert_eq!(after(&[&spelled], &format!("{spelled:?} is nothing")), format!("\"{short}\" is nothing"));
    }

    #[test]
    fn a_whole_is_cut_before_its_parts_and_what_is_short_stays() {
        let (one, all) = ("x".repeat(100), "x".repeat(100) + "/y");
        assert_eq!(after(&[&one, &all], &format!("{all} and {one}")), format!("{0}… and {0}…", "x".repeat(80)));
        let fits = "x".repeat(80);
        assert_eq!(after(&[&fits], &fits), fits);
    }
}
