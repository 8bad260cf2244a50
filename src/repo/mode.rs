//! The file modes that git knows, in git's own octal terms.

use std::fmt;

/// The mode of an index or tree entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(u32);

impl Mode {
    /// 100644, a regular file.
    pub(crate) const FILE: Self = Self(0o100_644);
    /// 100755, an executable file.
    pub(crate) const EXEC: Self = Self(0o100_755);
    /// 120000, a symbolic link.
    pub(crate) const LINK: Self = Self(0o120_000);
    /// 160000, a submodule.
    pub(crate) const SUBMODULE: Self = Self(0o160_000);
    /// 040000, a directory.
    pub(crate) const DIR: Self = Self(0o040_000);

    /// The mode that git uses for a raw one: old trees hold e.g. 100664.
    pub(crate) fn canonical(raw: u32) -> Self {
        match raw & 0o170_000 {
            0o100_000 if raw & 0o100 != 0 => Self::EXEC,
            0o100_000 => Self::FILE,
            0o120_000 => Self::LINK,
            0o040_000 => Self::DIR,
            _ => Self::SUBMODULE,
        }
    }

    /// The mode with these bits if it is exactly one of git's five, else `None`.
    pub(crate) fn exact(raw: u32) -> Option<Self> {
        Some(Self::canonical(raw)).filter(|mode| mode.0 == raw)
    }

    /// The bits as git writes them: type and permissions, one of the five values above.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether its content is a blob: a file or a link.
    pub(crate) fn is_blob(self) -> bool {
        matches!(self, Self::FILE | Self::EXEC | Self::LINK)
    }

    pub(crate) fn is_dir(self) -> bool {
        self == Self::DIR
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06o}", self.0)
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_modes_are_taken_for_what_git_takes_them_for() {
        assert_eq!(Mode::canonical(0o100_664), Mode::FILE);
        assert_eq!(Mode::canonical(0o100_775), Mode::EXEC);
        assert_eq!(Mode::exact(0o100_664), None);
        assert_eq!(Mode::exact(0o160_000), Some(Mode::SUBMODULE));
        assert_eq!(Mode::DIR.to_string(), "040000");
    }
}
