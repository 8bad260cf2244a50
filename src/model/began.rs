//! The token of `begin`: a summary of the content that a measurement is about to measure. Input: the selected scenarios and
//! their content. Output: one word, for example `b1-9f86d081884c7d65-a3f2-07c4-be11`; later, the names of the changed content.
//!
//! After `b1`: 16 hex digits of a hash over everything, which alone decide; 4 for the selection; 4 for each entry in the
//! order of the names, if there are at most [`MAX_ENTRIES`]. The short hashes only explain a difference.

use super::ids::composed;
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Most entries that a token describes one by one.
const MAX_ENTRIES: usize = 64;
const PREFIX: &str = "b1-";

/// The selected scenarios and their content at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BegunContent {
    /// The directories of the nodes, and the names of the scenarios in NFC.
    selection: BTreeSet<(RepoPath, String)>,
    /// The ids and hashes at each name; a name is a path or a selector, for example `src/cart.py#total`.
    entries: BTreeMap<BString, BTreeSet<String>>,
}

impl BegunContent {
    pub(crate) fn select(&mut self, node: &RepoPath, scenario: &str) {
        self.selection.insert((node.clone(), composed(scenario).into_owned()));
    }

    /// Adds the id or hash of the content that `name` means.
    pub(crate) fn add(&mut self, name: BString, content: String) {
        self.entries.entry(name).or_default().insert(content);
    }

    pub(crate) fn token(&self) -> BeganToken {
        let selection = self.selection.iter().flat_map(|(node, name)| [&**node.as_bstr(), name.as_bytes()]);
        let selection = hash(selection);
        let entries: Vec<[u8; 32]> = self.hashes().map(|(_, hash)| hash).collect();
        let whole = hash(std::iter::once(&selection[..]).chain(entries.iter().map(|hash| &hash[..])));
        let [a, b, c, d, e, f, g, h, ..] = whole;
        BeganToken {
            whole: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            selection: short(&selection),
            entries: if entries.len() > MAX_ENTRIES { Vec::new() } else { entries.iter().map(short).collect() },
        }
    }

    /// Compares this content with the content of `token`.
    pub(crate) fn since(&self, token: &BeganToken) -> SinceBegin {
        let now = self.token();
        if now.whole == token.whole {
            return SinceBegin::Same;
        }
        if now.selection != token.selection {
            return SinceBegin::OtherSelection;
        }
        if token.entries.is_empty() {
            return SinceBegin::Changed { names: Vec::new(), gone: 0 };
        }
        let mut now: Vec<(&BString, u16)> = self.hashes().map(|(name, hash)| (name, short(&hash))).collect();
        let mut then = token.entries.clone();
        if now.len() == then.len() {
            // nearly always edits alone: every other entry is at its old place
            (now, then) = now.into_iter().zip(then).filter(|((_, hash), entry)| hash != entry).unzip();
        }
        let mut names = Vec::new();
        for (name, hash) in now {
            match then.iter().position(|entry| *entry == hash) {
                Some(at) => drop(then.swap_remove(at)),
                None => names.push(name.clone()),
            }
        }
        // a changed entry left its old hash, an entry that is gone as well
        SinceBegin::Changed { gone: then.len().saturating_sub(names.len()), names }
    }

    /// The hash of each entry, in the order of the names.
    fn hashes(&self) -> impl Iterator<Item = (&BString, [u8; 32])> {
        let of = |name: &BString, contents: &BTreeSet<String>| {
            hash(std::iter::once(name.as_bytes()).chain(contents.iter().map(String::as_bytes)))
        };
        self.entries.iter().map(move |(name, contents)| (name, of(name, contents)))
    }
}

/// What happened to the content since `begin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SinceBegin {
    Same,
    /// The token is of other scenarios.
    OtherSelection,
    Changed {
        /// The changed and new entries; empty if the token cannot name any.
        names: Vec<BString>,
        /// How many entries are gone.
        gone: usize,
    },
}

/// The printed form of [`BegunContent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BeganToken {
    whole: u64,
    selection: u16,
    /// Empty if there are more than [`MAX_ENTRIES`].
    entries: Vec<u16>,
}

impl fmt::Display for BeganToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{:016x}-{:04x}", self.whole, self.selection)?;
        self.entries.iter().try_for_each(|entry| write!(f, "-{entry:04x}"))
    }
}

impl FromStr for BeganToken {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = || {
            let mut groups = text.strip_prefix(PREFIX)?.split('-');
            let whole = digits(groups.next()?, 16)?;
            let mut shorts = groups.take(MAX_ENTRIES + 2).map(|group| digits(group, 4)?.try_into().ok());
            let selection = shorts.next()??;
            let entries: Vec<u16> = shorts.collect::<Option<_>>()?;
            (entries.len() <= MAX_ENTRIES).then_some(Self { whole, selection, entries })
        };
        parsed().ok_or("`yatsu-hook begin` prints a token, b1-9f86d081884c7d65-a3f2-07c4 for example")
    }
}

/// The number that exactly `count` lower-case hex digits spell.
fn digits(text: &str, count: usize) -> Option<u64> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_number = text.len() == count && text.bytes().all(is_digit);
    is_number.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

/// The sha256 of texts with their lengths, so that no two lists run together.
fn hash<'t>(texts: impl Iterator<Item = &'t [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text);
    }
    hasher.finalize().into()
}

fn short(hash: &[u8; 32]) -> u16 {
    u16::from_be_bytes([hash[0], hash[1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(selection: &[&str], entries: &[(&str, &str)]) -> BegunContent {
        let mut content = BegunContent::default();
        for name in selection {
            content.select(&RepoPath::from_git(".spec/board"), name);
        }
        for (name, id) in entries {
            content.add((*name).into(), (*id).to_owned());
        }
        content
    }

    fn changed(names: &[&str], gone: usize) -> SinceBegin {
        SinceBegin::Changed { names: names.iter().map(|name| BString::from(*name)).collect(), gone }
    }

    #[test]
    fn a_difference_is_named() {
        let entries = [("a", "1"), ("b", "2"), ("b", "3"), ("b#f", "4")];
        let begun = content(&["draws"], &entries);
        let token = begun.token();
        assert_eq!(begun.since(&token), SinceBegin::Same);
        assert_eq!(content(&["draws"], &entries[..1]).since(&token), changed(&[], 2));
        assert_eq!(content(&["draws"], &[("a", "1"), ("b", "2"), ("b#f", "4")]).since(&token), changed(&["b"], 0));
        assert_eq!(content(&["draws"], &[("a", "1"), ("b", "9"), ("c", "1")]).since(&token), changed(&["b", "c"], 0));
        for selection in [&[][..], &["draws", "sorts"], &["sorts"]] {
            assert_eq!(content(selection, &entries).since(&token), SinceBegin::OtherSelection, "{selection:?}");
        }
        assert_eq!(content(&["caf\u{e9}"], &[]).token(), content(&["cafe\u{301}"], &[]).token());
    }

    #[test]
    fn a_token_describes_so_many_entries_or_none() {
        let names: Vec<String> = (0..=MAX_ENTRIES).map(|number| format!("f{number:02}")).collect();
        let all = |id| names.iter().map(|name| (name.as_str(), id)).collect::<Vec<_>>();
        let most = content(&["a"], &all("1")[1..]);
        let token = most.token();
        assert_eq!(token.to_string().len(), 19 + 5 + 5 * MAX_ENTRIES);
        assert_eq!(token.to_string().parse(), Ok(token.clone()));
        let more = content(&["a"], &all("1"));
        assert_eq!(more.since(&token), changed(&["f00"], 0));
        assert_eq!(more.token().to_string().len(), 19 + 5);
        assert_eq!(content(&["a"], &all("2")).since(&more.token()), changed(&[], 0));
    }

    #[test]
    fn another_form_is_no_token() {
        let whole = "0123456789abcdef";
        for text in [
            "".to_owned(),
            "b1".to_owned(),
            "b1-".to_owned(),
            whole.to_owned(),
            format!("b1-{whole}"),
            format!("b1-{whole}-"),
            format!("b2-{whole}-0000"),
            format!("B1-{whole}-0000"),
            format!("b1-{whole}-000"),
            format!("b1-{whole}-00000"),
            format!("b1-{whole}-+000"),
            format!("b1-{whole}-000G"),
            format!("b1-{whole}-00A0"),
            format!("b1-{whole}-0000-"),
            format!("b1-{whole}-0000 "),
            format!("b1-{whole}-0000\n"),
            format!("b1-{whole}0-0000"),
            format!("b1-{whole}-0000{}", "-0000".repeat(MAX_ENTRIES + 1)),
            format!("b1-{whole}{}", "-0000".repeat(1_000_000)),
        ] {
            assert!(text.parse::<BeganToken>().is_err(), "{:?}", text.get(..80));
        }
    }

    fn entries() -> impl Strategy<Value = BTreeMap<String, String>> {
        prop::collection::btree_map("[a-f]{1,3}", "[0-9]{1,4}", 1..90)
    }

    proptest! {
        #[test]
        fn a_token_reads_back_and_sees_every_edit(
            before in entries(), edits in entries(), selection in prop::collection::btree_set("[a-c]", 0..4)
        ) {
            let of = |entries: &BTreeMap<String, String>| {
                let pairs: Vec<_> = entries.iter().map(|(name, id)| (name.as_str(), id.as_str())).collect();
                content(&selection.iter().map(String::as_str).collect::<Vec<_>>(), &pairs)
            };
            let token: BeganToken = of(&before).token().to_string().parse().unwrap();
            prop_assert_eq!(of(&before).since(&token), SinceBegin::Same);
            let mut after = before.clone();
            after.extend(edits);
            let both: BTreeSet<_> = before.iter().chain(&after).collect();
            let shorts: BTreeSet<u16> =
                both.iter().map(|(name, id)| short(&hash([name.as_bytes(), id.as_bytes()].into_iter()))).collect();
            prop_assume!(shorts.len() == both.len(), "two entries share a short hash");
            match of(&after).since(&token) {
                SinceBegin::Same => prop_assert_eq!(&after, &before),
                SinceBegin::OtherSelection => prop_assert!(false, "the selection is the same"),
                SinceBegin::Changed { names, gone } => {
                    prop_assert_ne!(&after, &before);
                    let is_edited = |(name, id): &(&String, &String)| before.get(*name) != Some(id);
                    let edited: Vec<_> = after.iter().filter(is_edited).map(|(name, _)| name.as_str().into()).collect();
                    let is_described = before.len() <= MAX_ENTRIES;
                    prop_assert_eq!((names, gone), (if is_described { edited } else { Vec::new() }, 0));
                }
            }
        }

        #[test]
        fn every_text_that_is_a_token_prints_the_same(text in "b1-[0-9a-f]{15,17}(-[0-9a-f]{3,5}){0,70}|.{0,40}") {
            if let Ok(token) = text.parse::<BeganToken>() {
                prop_assert_eq!(token.to_string(), text);
            }
        }
    }
}
