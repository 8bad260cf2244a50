//! Refs that do not hold code: machines share evidence and claims below them. The name of a ref in, its meaning out; pure.
//! These refs are not judged as code. So nothing that only they lead to counts as known: otherwise unjudged commits could be
//! merged into a branch through them.

use bstr::ByteSlice;

/// The prefix of these refs.
pub(crate) const NAMESPACE: &str = "refs/yatsu/";

/// Their prefix on a host that accepts only branches.
const AS_BRANCHES: &str = "refs/heads/yatsu/";

/// The purpose of such a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BesideCode {
    /// Pieces of evidence, by their names.
    Evidence,
    /// The names of the available pieces, in messages of commits without files.
    Names,
    /// Who measures what, in the message of a commit without files.
    Claims,
    /// A test ref, to learn what a host accepts.
    Probe,
    /// A name that this version does not know.
    Unknown,
}

/// The directories with a known purpose.
const KINDS: [(&str, BesideCode); 4] = [
    ("evidence", BesideCode::Evidence),
    ("names", BesideCode::Names),
    ("claims", BesideCode::Claims),
    ("probe", BesideCode::Probe),
];

impl BesideCode {
    /// The purpose of the ref with this full name; `None` if it is an ordinary ref. Among branches only the known
    /// directories count: a branch such as `yatsu/fix` belongs to the user.
    pub(crate) fn of(name: &[u8]) -> Option<Self> {
        if name == NAMESPACE.trim_end_matches('/').as_bytes() {
            return Some(Self::Unknown);
        }
        match name.strip_prefix(NAMESPACE.as_bytes()) {
            Some(rest) => Some(kind(rest).unwrap_or(Self::Unknown)),
            None => kind(name.strip_prefix(AS_BRANCHES.as_bytes())?),
        }
    }
}

fn kind(rest: &[u8]) -> Option<BesideCode> {
    let (dir, below) = rest.split_once_str("/")?;
    KINDS.iter().find(|(name, _)| name.as_bytes() == dir && !below.is_empty()).map(|(_, kind)| *kind)
}

/// Whether the content behind a ref of this name was never judged as code. This includes copies of such refs: by a fetch of
/// all branches, in a mirror, or on a disk that does not distinguish `Yatsu` from `yatsu`. The test is wider than
/// [`BesideCode::of`]: a ref left out without need is only judged once more.
pub(crate) fn is_unjudged(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let below = |(dir, _): &(&str, BesideCode)| name.contains_str(format!("/yatsu/{dir}/"));
    name == NAMESPACE.trim_end_matches('/').as_bytes()
        || name.starts_with(NAMESPACE.as_bytes())
        || KINDS.iter().any(below)
}

/// [`is_unjudged`] as patterns of `git rev-list --exclude`, where `*` also matches a `/`.
pub(crate) fn unjudged_patterns() -> Vec<String> {
    let below = KINDS.iter().map(|(dir, _)| format!("*/yatsu/{dir}/*"));
    let own = [NAMESPACE.trim_end_matches('/').to_owned(), format!("{NAMESPACE}*")];
    own.into_iter().chain(below).map(|pattern| in_any_case(&pattern)).collect()
}

fn in_any_case(pattern: &str) -> String {
    let either = |letter: char| match letter.is_ascii_alphabetic() {
        true => format!("[{}{letter}]", letter.to_ascii_uppercase()),
        false => letter.to_string(),
    };
    pattern.chars().map(either).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_ref_beside_the_code_is_for() {
        for (name, kind) in [
            ("refs/yatsu/evidence/0123456789abcdef/2026-11", Some(BesideCode::Evidence)),
            ("refs/yatsu/names/0123456789abcdef/2026-11", Some(BesideCode::Names)),
            ("refs/yatsu/claims/01", Some(BesideCode::Claims)),
            ("refs/yatsu/probe/01", Some(BesideCode::Probe)),
            ("refs/yatsu/evil", Some(BesideCode::Unknown)),
            ("refs/yatsu/evidence", Some(BesideCode::Unknown)),
            ("refs/yatsu/Evidence/x", Some(BesideCode::Unknown)),
            ("refs/yatsu", Some(BesideCode::Unknown)),
            ("refs/heads/yatsu/claims/01", Some(BesideCode::Claims)),
            ("refs/heads/yatsu/claims", None),
            ("refs/heads/yatsu/fix", None),
            ("refs/heads/topic/yatsu/claims/01", None),
            ("refs/heads/main", None),
            ("refs/Yatsu/claims/01", None),
            ("refs/yatsux/claims/01", None),
            ("refs/tags/yatsu/claims/01", None),
        ] {
            assert_eq!(BesideCode::of(name.as_bytes()), kind, "{name}");
            assert!(kind.is_none() || is_unjudged(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_nobody_judged_is_known_wherever_it_is_copied_to() {
        for name in
            ["refs/Yatsu/x", "refs/YATSU", "refs/remotes/origin/yatsu/names/x", "refs/remotes/a/b/yatsu/claims/x"]
        {
            assert!(is_unjudged(name.as_bytes()), "{name}");
        }
        for name in ["refs/heads/main", "refs/heads/yatsu/fix", "refs/remotes/origin/yatsu/fix", "refs/yatsux", "HEAD"]
        {
            assert!(!is_unjudged(name.as_bytes()), "{name}");
        }
    }
}
