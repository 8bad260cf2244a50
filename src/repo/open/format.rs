//! The repository's own configuration file, as far as it says how to read the repository: `core.bare`, `core.worktree` and
//! the extensions. Format: git-config(1) and gitrepository-layout(5). Like git at this point, it follows no include.

use crate::repo::program::truth;
use crate::sys;
use crate::tree::shared::SharedMode;
use bstr::ByteSlice;
use std::path::PathBuf;

/// The format settings in a repository's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RepoFormat {
    pub bare: Option<bool>,
    /// `core.worktree`, as given.
    pub worktree: Option<PathBuf>,
    /// `core.sharedRepository`: the mode of files that several people write; `None` if each user's umask decides.
    pub shared: Option<SharedMode>,
    /// `extensions.worktreeConfig`: `config.worktree` counts too.
    pub(crate) worktree_config: bool,
    /// `extensions.objectFormat` is sha256.
    pub sha256: bool,
    /// The reason why only the git program can read this repository, if there is one.
    pub(crate) unsupported: Option<String>,
}

/// The format in the configuration file `text`. A file that cannot be parsed is left to the git program.
pub(crate) fn parse(text: &[u8]) -> RepoFormat {
    let mut format = RepoFormat::default();
    let mut version = 0;
    let mut parser = Parser { rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), section: Vec::new() };
    loop {
        match parser.next() {
            Ok(Some((key, value))) => format.take(&key, value.as_deref(), &mut version),
            Ok(None) => break,
            Err(Malformed) => {
                format.refuse("its configuration file cannot be parsed");
                break;
            }
        }
    }
    if !(0..=1).contains(&version) {
        format.refuse("its repositoryformatversion is unknown");
    }
    format
}

impl RepoFormat {
    fn take(&mut self, key: &[u8], value: Option<&[u8]>, version: &mut i64) {
        let text = value.unwrap_or_default();
        match key {
            b"core.bare" => self.bare = Some(is_true(value)),
            b"core.sharedrepository" => self.shared = shared_mode(value),
            b"core.worktree" => self.worktree = Some(PathBuf::from(&*sys::native(text))),
            b"core.repositoryformatversion" => {
                *version = text.to_str().ok().and_then(|number| number.trim().parse().ok()).unwrap_or(-1);
            }
            _ => {
                if let Some(name) = key.strip_prefix(b"extensions.") {
                    self.take_extension(name, value);
                }
            }
        }
    }

    fn take_extension(&mut self, name: &[u8], value: Option<&[u8]>) {
        let text = value.unwrap_or_default();
        match name {
            b"noop" | b"noop-v1" | b"preciousobjects" | b"relativeworktrees" => {}
            b"worktreeconfig" => self.worktree_config = is_true(value),
            b"objectformat" if text == b"sha1" => {}
            b"refstorage" if text == b"files" => {}
            _ => {
                self.sha256 |= name == b"objectformat" && text == b"sha256";
                let text = text.as_bstr();
                self.refuse(&format!("it has the extension {} = {text}", name.as_bstr()));
            }
        }
    }

    fn refuse(&mut self, why: &str) {
        self.unsupported.get_or_insert_with(|| why.to_owned());
    }
}

/// git's reading of `core.sharedRepository`: a word, a boolean, or an octal mode. A value that git refuses means not shared.
fn shared_mode(value: Option<&[u8]>) -> Option<SharedMode> {
    let text = value.map(<[u8]>::to_ascii_lowercase);
    let octal = text.as_deref().and_then(|text| u32::from_str_radix(text.to_str().ok()?, 8).ok());
    match (text.as_deref(), octal) {
        (None | Some(b"group" | b"true" | b"yes" | b"on"), _) | (_, Some(1)) => Some(SharedMode::GROUP),
        (Some(b"all" | b"world" | b"everybody"), _) | (_, Some(2)) => Some(SharedMode::EVERYBODY),
        (_, Some(mode)) if mode & 0o600 == 0o600 => Some(SharedMode::Exactly(mode & 0o666)),
        _ => None,
    }
}

fn is_true(value: Option<&[u8]>) -> bool {
    value.is_none_or(|text| truth(text) == Some(true))
}

struct Malformed;

/// `section.key` or `section.sub.key`, section and key in lower case.
type ConfigKey = (Vec<u8>, Option<Vec<u8>>);

struct Parser<'a> {
    rest: &'a [u8],
    section: Vec<u8>,
}

impl Parser<'_> {
    fn next(&mut self) -> Result<Option<ConfigKey>, Malformed> {
        loop {
            let Some(byte) = self.bump() else { return Ok(None) };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'#' | b';' => self.skip_line(),
                b'[' => self.read_section()?,
                byte if byte.is_ascii_alphabetic() && !self.section.is_empty() => return self.setting(byte).map(Some),
                _ => return Err(Malformed),
            }
        }
    }

    fn bump(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn skip_line(&mut self) {
        let end = self.rest.find_byte(b'\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    fn read_section(&mut self) -> Result<(), Malformed> {
        self.section.clear();
        loop {
            match self.bump().ok_or(Malformed)? {
                b']' if self.section.is_empty() => return Err(Malformed),
                b']' => break,
                b' ' | b'\t' => return self.read_sub_section(),
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    self.section.push(byte.to_ascii_lowercase());
                }
                _ => return Err(Malformed),
            }
        }
        self.section.push(b'.');
        Ok(())
    }

    fn read_sub_section(&mut self) -> Result<(), Malformed> {
        self.rest = self.rest.trim_start_with(|c| c == ' ' || c == '\t');
        if self.bump() != Some(b'"') {
            return Err(Malformed);
        }
        self.section.push(b'.');
        loop {
            match self.bump().ok_or(Malformed)? {
                b'"' => break,
                b'\n' => return Err(Malformed),
                b'\\' => {
                    let byte = self.bump().ok_or(Malformed)?;
                    self.section.push(byte);
                }
                byte => self.section.push(byte),
            }
        }
        self.section.push(b'.');
        if self.bump() == Some(b']') { Ok(()) } else { Err(Malformed) }
    }

    fn setting(&mut self, first: u8) -> Result<ConfigKey, Malformed> {
        let mut key = self.section.clone();
        key.push(first.to_ascii_lowercase());
        while let Some(byte) = self.rest.first().copied().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            key.push(byte.to_ascii_lowercase());
            self.bump();
        }
        self.rest = self.rest.trim_start_with(|c| c == ' ' || c == '\t');
        match self.bump() {
            None | Some(b'\n') => Ok((key, None)),
            Some(b'\r') if self.rest.first() == Some(&b'\n') => Ok((key, None)),
            Some(b'=') => Ok((key, Some(self.value()?))),
            _ => Err(Malformed),
        }
    }

    /// A value up to the end of its line: quotes, escapes, continued lines; blanks at both ends dropped.
    fn value(&mut self) -> Result<Vec<u8>, Malformed> {
        let mut value = Vec::new();
        let mut quoted = false;
        // the length of the value without the blanks at its end
        let mut solid = 0;
        while let Some(byte) = self.bump() {
            match byte {
                b'\n' if quoted => return Err(Malformed),
                b'\n' => break,
                b'"' => quoted = !quoted,
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    continue;
                }
                b'\\' => value.extend(self.escape()?),
                b' ' | b'\t' | b'\r' if !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                byte => value.push(byte),
            }
            solid = value.len();
        }
        value.truncate(solid);
        if quoted { Err(Malformed) } else { Ok(value) }
    }

    fn escape(&mut self) -> Result<Option<u8>, Malformed> {
        match self.bump().ok_or(Malformed)? {
            b'\n' => Ok(None),
            b'\r' if self.bump() == Some(b'\n') => Ok(None),
            b'n' => Ok(Some(b'\n')),
            b't' => Ok(Some(b'\t')),
            b'b' => Ok(Some(8)),
            byte @ (b'"' | b'\\') => Ok(Some(byte)),
            _ => Err(Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_files_are_read() {
        let format = parse(
            b"# c\n[core]\n\trepositoryformatversion = 1\n\tbare = False ; no\n\tworktree = \"../a b\" # x\n\
              [remote \"o\\\"rigin\"]\n\turl = x\n[EXTENSIONS]\n\tworktreeConfig\n\tobjectFormat=sha1\r\n",
        );
        assert_eq!(format.bare, Some(false));
        assert_eq!(format.worktree, Some("../a b".into()));
        assert!(format.worktree_config);
        assert_eq!(format.unsupported, None);
    }

    #[test]
    fn what_only_git_can_judge_is_left_to_it() {
        for text in [
            "[extensions]\nobjectFormat = sha256",
            "[extensions]\nrefStorage = reftable",
            "[extensions]\npartialClone = origin",
            "[extensions]\nnever-heard-of = 1",
            "[core]\nrepositoryformatversion = 2",
            "[core]\nrepositoryformatversion = x",
            "[core",
            "bare = true",
            "[core]\nx = \"open",
            "[core]\nx = \\q",
        ] {
            assert!(parse(text.as_bytes()).unsupported.is_some(), "{text}");
        }
        assert_eq!(
            parse(b"[extensions \"x\"]\n\tpartialclone = y\n[core]\n a = b\\\n c\n").unsupported.as_deref(),
            Some("it has the extension x.partialclone = y")
        );
    }

    #[test]
    fn values_keep_what_git_keeps() {
        let worktree = |text: &str| parse(format!("[core]\nworktree = {text}\n").as_bytes()).worktree.unwrap();
        assert_eq!(worktree("a  b  "), PathBuf::from("a  b"));
        assert_eq!(worktree("\" a \"  "), PathBuf::from(" a "));
        assert_eq!(worktree("a\\\nb"), PathBuf::from("ab"));
        assert_eq!(worktree("a;b"), PathBuf::from("a"));
    }

    #[test]
    fn who_shares_a_repository_says_the_mode_of_its_files() {
        let shared = |setting: &str| parse(format!("[core]\n{setting}\n").as_bytes()).shared;
        let is = |text: &str| shared(&format!("sharedRepository = {text}"));
        assert_eq!(shared("bare = false"), None);
        assert_eq!(shared("sharedRepository"), Some(SharedMode::GROUP), "a key alone is true");
        for text in ["group", "true", "yes", "on", "1"] {
            assert_eq!(is(text), Some(SharedMode::GROUP), "{text}");
        }
        for text in ["all", "world", "everybody", "2"] {
            assert_eq!(is(text), Some(SharedMode::EVERYBODY), "{text}");
        }
        for text in ["umask", "false", "no", "0", "nobody", "-1", "9", "0060", "0200"] {
            assert_eq!(is(text), None, "{text}");
        }
        for (text, mode) in [("0660", 0o660), ("640", 0o640), ("0600", 0o600), ("0777", 0o666)] {
            assert_eq!(is(text), Some(SharedMode::Exactly(mode)), "{text}: nothing of it is run");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text: Vec<u8>) {
            parse(&text);
        }
    }
}
