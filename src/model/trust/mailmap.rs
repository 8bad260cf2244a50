//! A `.mailmap` (gitmailmap(5)): which addresses of commits stand for which address of a person.

use std::collections::HashMap;

/// The addresses of a mailmap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mailmap {
    /// The proper address by the address in commits and, if the line names one, the name in commits; all in lower case.
    proper: HashMap<(String, Option<String>), String>,
}

impl Mailmap {
    /// The map in `bytes`. Lines in another form say nothing, as for git.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut proper = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((first, rest)) = address(line) else { continue };
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
}

/// The first text between `<` and `>`, and the rest after it.
fn address(text: &str) -> Option<(&str, &str)> {
    let (_, from) = text.split_once('<')?;
    from.split_once('>')
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
}
