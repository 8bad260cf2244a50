//! `core.sharedRepository`: the permissions of files that several people share. Input: a mode. Output: the mode that git
//! would set instead (git's `adjust_shared_perm`).

/// How the modes of new files and directories are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMode {
    /// These bits are added to the mode of the process: 0660 for the group, 0664 for everybody.
    Adding(u32),
    /// These bits replace the mode of the process.
    Exactly(u32),
}

impl SharedMode {
    /// For the members of the group.
    pub(crate) const GROUP: Self = Self::Adding(0o660);
    /// The group may write, everybody else may read.
    pub(crate) const EVERYBODY: Self = Self::Adding(0o664);

    /// The mode for a file that was created with `mode`. If the owner may not write, no other user may. If the owner may
    /// execute the file, every user who may read it may execute it.
    pub(crate) fn of_file(self, mode: u32) -> u32 {
        let (Self::Adding(bits) | Self::Exactly(bits)) = self;
        let bits = if mode & 0o200 == 0 { bits & !0o222 } else { bits };
        let bits = if mode & 0o100 == 0 { bits } else { bits | (bits & 0o444) >> 2 };
        match self {
            Self::Adding(_) => mode | bits,
            Self::Exactly(_) => mode & !0o777 | bits,
        }
    }

    /// The same for a directory. Users who may read it may enter it. If the group has any right, new entries inherit the
    /// group.
    pub(crate) fn of_directory(self, mode: u32) -> u32 {
        let mode = self.of_file(mode);
        let mode = mode | (mode & 0o444) >> 2;
        if mode & 0o060 == 0 { mode } else { mode | 0o2000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_become_what_git_makes_of_them() {
        for (shared, mode, file, directory) in [
            (SharedMode::GROUP, 0o644, 0o664, 0o2775),
            (SharedMode::GROUP, 0o600, 0o660, 0o2770),
            (SharedMode::EVERYBODY, 0o600, 0o664, 0o2775),
            (SharedMode::Exactly(0o640), 0o666, 0o640, 0o2750),
            (SharedMode::Exactly(0o600), 0o666, 0o600, 0o700),
        ] {
            assert_eq!(
                (shared.of_file(mode), shared.of_directory(mode | (mode & 0o444) >> 2)),
                (file, directory),
                "{shared:?} {mode:o}"
            );
        }
        assert_eq!(SharedMode::GROUP.of_file(0o444), 0o444, "what its owner may not write nobody may");
        assert_eq!(SharedMode::GROUP.of_file(0o400), 0o440);
        assert_eq!(SharedMode::GROUP.of_file(0o700), 0o770);
    }
}
