//! `core.sharedRepository`: what several people who share a repository may do with the files in it. A mode in, the mode that git
//! would give it out (git's `adjust_shared_perm`).

/// What is made of the modes of new files and directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMode {
    /// These bits are added to what the process lets others do: 0660 for the group, 0664 for everybody.
    Adding(u32),
    /// These are the bits of a file, whatever the process says.
    Exactly(u32),
}

impl SharedMode {
    /// For the members of the group.
    pub(crate) const GROUP: Self = Self::Adding(0o660);
    /// For everybody; who is not of the group may read.
    pub(crate) const EVERYBODY: Self = Self::Adding(0o664);

    /// The mode of a file that was made with `mode`. What its owner may not write nobody may; what its owner may run those
    /// may who may read it.
    pub(crate) fn of_file(self, mode: u32) -> u32 {
        let (Self::Adding(bits) | Self::Exactly(bits)) = self;
        let bits = if mode & 0o200 == 0 { bits & !0o222 } else { bits };
        let bits = if mode & 0o100 == 0 { bits } else { bits | (bits & 0o444) >> 2 };
        match self {
            Self::Adding(_) => mode | bits,
            Self::Exactly(_) => mode & !0o777 | bits,
        }
    }

    /// The same of a directory: who may read in it may enter it, and where the group may do anything what is made in it is
    /// the group's.
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
