//! A `.mailmap` (gitmailmap(5)): which addresses of commits stand for which address of a person.

use std::collections::{BTreeSet, HashMap};

/// The addresses of a mailmap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mailmap {
    /// The proper address by the address in commits and, if the line names one, the name in commits; all in lower case.
    proper: HashMap<(String, Option<String>), String>,
}

impl Mailmap {
    /// The map in `bytes`. Lines in another form say nothing, as for git.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes));
        let mut proper = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((first, rest)) = address(line).filter(|(first, _)| !first.is_empty()) else { continue };
            // with one address the line only gives a name
            let Some((commit, _)) = address(rest) else { continue };
            let name = rest.split('<').next().unwrap_or_default().trim().to_lowercase();
            let name = Some(name).filter(|name| !name.is_empty());
            proper.insert((commit.to_lowercase(), name), first.to_lowercase());
        }
        Self { proper }
    }

    /// The address in lower case that stands for this author of a commit.
    pub(crate) fn proper(&self, name: &str, address: &str) -> String {
        let address = address.trim().to_lowercase();
        let of_name = || self.proper.get(&(address.clone(), Some(name.trim().to_lowercase())));
        of_name().or_else(|| self.proper.get(&(address.clone(), None))).cloned().unwrap_or(address)
    }

    /// Every address in lower case of this author of a commit: as written, because a mailmap must free no author, the proper
    /// one, and all that stand for the same one. A name that is not UTF-8 may be any name.
    pub(crate) fn addresses(&self, name: &str, address: &str) -> BTreeSet<String> {
        let written = address.trim().to_lowercase();
        let mut proper = BTreeSet::from([self.proper(name, address)]);
        if name.contains(char::REPLACEMENT_CHARACTER) {
            proper.extend(self.proper.iter().filter(|((known, _), _)| *known == written).map(|(_, to)| to.clone()));
        }
        let aliases = self.proper.iter().filter(|(_, to)| proper.contains(*to)).map(|((known, _), _)| known.clone());
        let mut all: BTreeSet<String> = aliases.collect();
        all.extend(proper);
        all.insert(written);
        all
    }
}

/// The first text between `<` and `>`, and the rest after it.
fn address(text: &str) -> Option<(&str, &str)> {
    let (_, from) = text.split_once('<')?;
    let (address, rest) = from.split_once('>')?;
    Some((address.trim(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_stands_for_the_proper_address() {
        let map = Mailmap::parse(
            b"# people\nAnn <Ann@example.org> <ann@old>\n<bob@example.org> Robert <r@x>\nCarl <carl@x>\nbroken <x\n",
        );
        assert_eq!(map.proper("Anyone", "ANN@old"), "ann@example.org");
        assert_eq!(map.proper("Robert", "r@x"), "bob@example.org");
        assert_eq!(map.proper("Rita", "r@x"), "r@x", "the line is about another name");
        assert_eq!(map.proper("Carl", "Carl@x"), "carl@x");
    }

    #[test]
    fn marks_line_ends_blanks_and_comments_hide_no_alias() {
        let map = Mailmap::parse(
            "\u{feff}# <not@x> <one@x>\r\nAnn < ann@x > < old@x > # since May\r\n<> <two@x>\n\tBob\t<bob@x>\tROB\t<r@x>\n\
             <first@x> <c@x>\n<last@x> <c@x>"
                .as_bytes(),
        );
        assert_eq!(map.proper("x", "one@x"), "one@x");
        assert_eq!(map.proper("x", " OLD@x"), "ann@x");
        assert_eq!(map.proper("x", "two@x"), "two@x");
        assert_eq!(map.proper("rob", "r@x"), "bob@x");
        assert_eq!(map.proper("x", "c@x"), "last@x");
    }

    #[test]
    fn all_addresses_of_an_author_count() {
        let map = Mailmap::parse(b"<ann@work> <ann@home>\n<ann@work> <ann@old>\nBob <bob@x> Robert <r@x>\n");
        let all = |name: &str, address: &str| map.addresses(name, address).into_iter().collect::<Vec<_>>().join(" ");
        for address in ["ann@work", "Ann@Home", "ann@old"] {
            assert_eq!(all("Ann", address), "ann@home ann@old ann@work");
        }
        assert_eq!(all("Robert", "r@x"), "bob@x r@x");
        assert_eq!(all("Rita", "r@x"), "r@x");
        assert_eq!(all("R\u{fffd}bert", "r@x"), "bob@x r@x");
    }
}
