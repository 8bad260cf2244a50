//! git's configuration as git merged it.

use crate::error::{Error, Result};
use bstr::{BString, ByteSlice};

/// Every configured value, in git's order: the last value of a key counts.
#[derive(Clone, Debug, Default)]
pub struct GitConfig {
    values: Vec<(BString, Option<BString>)>,
}

impl GitConfig {
    /// Reads the output of `git config --list -z`: key LF value NUL. A key without LF has no value and means true.
    pub(crate) fn parse(output: &[u8]) -> Self {
        let records = output.split_str("\0").filter(|record| !record.is_empty());
        let values = records.map(|record| match record.split_once_str("\n") {
            Some((key, value)) => (key.into(), Some(value.into())),
            None => (record.into(), None),
        });
        Self { values: values.collect() }
    }

    /// Every configured value in order; `None` for a key without a value.
    pub(super) fn values(&self) -> impl Iterator<Item = (&BString, Option<&BString>)> {
        self.values.iter().map(|(key, value)| (key, value.as_ref()))
    }

    /// The value of `key` (section and name in lower case); empty for a key without a value.
    pub fn get(&self, key: &str) -> Option<BString> {
        self.last(key).map(|value| value.cloned().unwrap_or_default())
    }

    /// Every value of `key` in git's order, for a key that may have several, for example `remote.origin.url`.
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &BString> {
        self.values.iter().filter(move |(name, _)| name == key).filter_map(|(_, value)| value.as_ref())
    }

    /// The boolean value of `key` by git's rules; an error if it is not a boolean.
    pub(crate) fn boolean(&self, key: &str) -> Result<Option<bool>> {
        match self.last(key) {
            None => Ok(None),
            Some(None) => Ok(Some(true)),
            Some(Some(value)) => truth(value).map(Some).ok_or_else(|| {
                Error::unchecked(format!("git's configuration of {key} is not a truth value: {value}"))
                    .hint(format!("git config {key} true, or false"))
            }),
        }
    }

    /// The number of `key`, with git's suffix `k`, `m` or `g`; an error if it is not a number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<u64>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let (digits, unit) = match value.last().map(u8::to_ascii_lowercase) {
            Some(b'k') => (&value[..value.len() - 1], 1 << 10),
            Some(b'm') => (&value[..value.len() - 1], 1 << 20),
            Some(b'g') => (&value[..value.len() - 1], 1 << 30),
            _ => (&value[..], 1_u64),
        };
        let number = digits.to_str().ok().and_then(|digits| digits.parse::<u64>().ok()?.checked_mul(unit));
        number.map(Some).ok_or_else(|| {
            Error::unchecked(format!("git's configuration of {key} is not a number: {value}"))
                .hint(format!("git config {key} 10m"))
        })
    }

    /// The subsections of `section` with a non-empty value for one of `names`.
    pub(crate) fn subsections(&self, section: &str, names: &[&str]) -> Vec<BString> {
        let holds = |(key, value): &(BString, Option<BString>)| -> Option<BString> {
            let (name, rest) = (key.rsplitn_str(2, ".").next()?, key.strip_prefix(section.as_bytes())?);
            let subsection = rest.strip_prefix(b".")?.strip_suffix(name)?.strip_suffix(b".")?;
            let set = value.as_ref().is_none_or(|value| !value.is_empty());
            (set && names.iter().any(|wanted| wanted.as_bytes() == name)).then(|| subsection.into())
        };
        self.values.iter().filter_map(holds).collect()
    }

    fn last(&self, key: &str) -> Option<Option<&BString>> {
        self.values.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }
}

/// A repository's configuration, and the part that applies only to this repository.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopedConfig {
    pub(crate) whole: GitConfig,
    /// The values from the repository, the work tree or the command line.
    pub(crate) own: GitConfig,
}

impl ScopedConfig {
    /// Whether the system's or the user's configuration has conditional includes. Their values may apply to this repository
    /// and not to another one, such as this program's own.
    pub(super) fn is_conditional(&self) -> bool {
        let count = |of: &GitConfig| of.values().filter(|(key, _)| key.starts_with(b"includeif.")).count();
        count(&self.whole) > count(&self.own)
    }

    /// Reads the output of `git config --list -z --show-scope`, with the scope before each value; `None` if it has another
    /// form.
    pub(super) fn parse(output: &[u8]) -> Option<Self> {
        let mut config = Self::default();
        let mut records = output.strip_suffix(b"\0").unwrap_or(output).split_str("\0").filter(|_| !output.is_empty());
        while let Some(scope) = records.next() {
            let value = GitConfig::parse(records.next()?).values;
            match scope {
                b"system" | b"global" => {}
                b"local" | b"worktree" | b"command" => config.own.values.extend(value.iter().cloned()),
                _ => return None,
            }
            config.whole.values.extend(value);
        }
        Some(config)
    }
}

/// git's spellings of a boolean (git-config, "boolean").
pub(crate) fn truth(value: &[u8]) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"false" | b"no" | b"off" | b"" => Some(false),
        number => number.to_str().ok()?.parse::<i64>().ok().map(|number| number != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts_and_a_bare_key_is_true() {
        let config = GitConfig::parse(b"a.b\n1\0a.b\nno\0c.d\0e.f\nx\ny\0");
        assert_eq!(config.boolean("a.b").unwrap(), Some(false));
        assert_eq!(config.boolean("c.d").unwrap(), Some(true));
        assert_eq!(config.boolean("g.h").unwrap(), None);
        assert!(config.boolean("e.f").is_err());
        assert_eq!(config.get("e.f").unwrap(), "x\ny");
    }

    #[test]
    fn what_a_repository_says_itself_is_told_from_what_holds_everywhere() {
        let config = ScopedConfig::parse(b"global\0a.b\n1\0local\0a.b\n2\0command\0c.d\0").unwrap();
        let keys: Vec<_> = config.own.values().map(|(key, value)| (key.to_string(), value.is_some())).collect();
        assert_eq!(keys, [("a.b".to_owned(), true), ("c.d".to_owned(), false)]);
        assert_eq!(config.whole.values().count(), 3);
        assert!(ScopedConfig::parse(b"elsewhere\0a.b\n1\0").is_none() && ScopedConfig::parse(b"local\0").is_none());
        assert_eq!(ScopedConfig::parse(b"").unwrap().whole.values().count(), 0);
    }

    #[test]
    fn a_number_may_have_a_unit_and_nothing_else() {
        let number = |value: &str| GitConfig::parse(format!("a.b\n{value}\0").as_bytes()).number("a.b");
        assert_eq!((number("7").unwrap(), number("7k").unwrap()), (Some(7), Some(7 << 10)));
        assert_eq!((number("2M").unwrap(), number("1g").unwrap()), (Some(2 << 20), Some(1 << 30)));
        assert_eq!(GitConfig::default().number("a.b").unwrap(), None);
        for wrong in ["", "k", "-1", "1.5m", "1 m", "mm", "99999999999999999999", "18446744073709551615k"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn subsections_keep_their_case_and_dots() {
        let config =
            GitConfig::parse(b"filter.A.b.clean\ncat\0filter.c.smudge\nx\0filter.d.process\n\0filterx.y.clean\nz\0");
        assert_eq!(config.subsections("filter", &["clean", "process"]), ["A.b"]);
    }
}
