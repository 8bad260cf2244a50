//! The texts that git runs: the hook files, the configured hook's command, the merge driver's command. Event and path
//! of the program in, POSIX sh out. Nothing here touches the disk.
//!
//! Every text tries the path it was given first, because a hook runs with whatever `PATH` a desktop program has; then
//! `PATH`, then cargo's directory. A relative answer of `PATH` is never run: it would lie in the checked-out tree.

use crate::names::{NEWER_SCENARIOS, OLDER_SCENARIOS};

/// The second line of every hook file of ours begins with this; nothing without it is ever removed.
pub const MARKER: &str = "# yatsu-hook shim";

/// A hook that the gate answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookEvent {
    /// Before a commit.
    PreCommit,
    /// Before the commit of a clean merge.
    PreMergeCommit,
    /// Before a push.
    PrePush,
    /// On the server, before refs move.
    PreReceive,
}

impl HookEvent {
    /// Every event that a hook of ours can stand at, in the order in which git comes to them.
    pub(crate) const ALL: [Self; 4] = [Self::PreCommit, Self::PreMergeCommit, Self::PrePush, Self::PreReceive];
    /// What is installed unless said otherwise, in a repository with a work tree.
    pub(crate) const CLIENT: [Self; 3] = [Self::PreCommit, Self::PreMergeCommit, Self::PrePush];

    /// git's name of the event.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PreMergeCommit => "pre-merge-commit",
            Self::PrePush => "pre-push",
            Self::PreReceive => "pre-receive",
        }
    }

    /// The line that calls the program from somebody's own hook.
    pub(crate) fn call(self) -> String {
        let arguments = if self == Self::PrePush { " \"$@\"" } else { "" };
        format!("yatsu-hook {}{arguments}", self.as_str())
    }

    /// The event of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Whether git tells this hook what to judge on its standard input.
    pub(crate) fn reads_stdin(self) -> bool {
        matches!(self, Self::PrePush | Self::PreReceive)
    }
}

/// The suffix of the name under which a hook that was there first is kept.
pub(crate) const KEPT: &str = ".yatsu-orig";

/// Whether a hook file carries our marker.
pub(crate) fn is_ours(content: &[u8]) -> bool {
    content.split(|&byte| byte == b'\n').nth(1).is_some_and(|line| line.starts_with(MARKER.as_bytes()))
}

/// `word` so that sh reads it back as one word, whatever it holds. Always in single quotes, unlike [`shell::word`], which
/// is for people: [`written_program`] finds the path again by these quotes, and a file that sh reads must hold a path byte
/// for byte, also what a terminal would obey.
///
/// [`shell::word`]: crate::text::shell::word
pub(crate) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The path of the program that one of these texts tries first, where it was given one.
pub(crate) fn written_program(text: &str) -> Option<String> {
    let starts = ["y='", "for y in '"].into_iter().filter_map(|start| Some(text.find(start)? + start.len()));
    let mut rest = &text[starts.min()?..];
    let mut path = String::new();
    loop {
        let end = rest.find('\'')?;
        path.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        let Some(more) = rest.strip_prefix(r"\''") else { return Some(path) };
        path.push('\'');
        rest = more;
    }
}

const ELSEWHERE: &str = r#""$(command -v yatsu-hook)" "$HOME/.cargo/bin/yatsu-hook""#;

/// Without the program a repository that never used it is none of our business; any other one must not pass unchecked.
fn missing() -> String {
    let (older, newer) = (format!("**/{OLDER_SCENARIOS}"), format!("**/.spec/**/{NEWER_SCENARIOS}"));
    format!(r#"[ -z "$(git ls-files -- ':(top,glob){older}' ':(top,glob){newer}' || echo unknown)" ] && exit 0"#)
}

const REINSTALL: &str = "yatsu-hook: could not check: the program is not where it was installed, nor in PATH or \
                         ~/.cargo/bin. Install it again (cargo install yatsu-hook, or ./install.sh in its sources), \
                         then run: yatsu-hook install. To live without it,";

/// The hook file for `event`: at most six lines. Without `program` it finds the program in `PATH` or cargo's directory;
/// the files in `hooks/` are these.
pub fn plain(event: HookEvent, program: Option<&str>) -> String {
    let name = event.as_str();
    let first = program
        .map_or(String::new(), |path| format!("y={}; [ -x \"$y\" ] && exec \"$y\" {name} \"$@\"\n", quote(path)));
    let missing = missing();
    format!(
        "#!/bin/sh\n{MARKER}: `yatsu-hook uninstall` removes it\n{first}\
         for y in {ELSEWHERE}; do case $y in /*) [ -x \"$y\" ] && exec \"$y\" {name} \"$@\";; esac; done\n\
         {missing}\n\
         echo '{REINSTALL} delete this hook:' \"$0\" >&2; exit 3\n"
    )
}

/// The hook file for `event` where another hook was first: runs that one with the same arguments and the same input,
/// and ends with its exit code when it is not 0.
pub fn chained(event: HookEvent, program: &str) -> String {
    let name = event.as_str();
    let (read, feed) = if event.reads_stdin() {
        // The trailing x keeps the newlines that $( ) would drop. A terminal never ends, so it is not read.
        ("[ -t 0 ] && input=x || input=$(cat; echo x)\n", "printf %s \"${input%x}\" 2>/dev/null | ")
    } else {
        ("", "")
    };
    format!(
        "#!/bin/sh\n{MARKER}: `yatsu-hook uninstall` removes it and puts {name}{KEPT} back\n\
         # The hook that was here first runs first; either one can stop git.\n\
         dir=${{0%/*}}; [ \"$dir\" = \"$0\" ] && dir=.\n{read}\
         kept=$dir/{name}{KEPT}\n\
         if [ -x \"$kept\" ]; then {feed}\"$kept\" \"$@\" || exit $?; fi\n\
         for y in {path} {ELSEWHERE}; do\n\
         case $y in /*) [ -x \"$y\" ] || continue; {feed}\"$y\" {name} \"$@\"; exit $?;; esac\n\
         done\n\
         {missing}\n\
         echo '{REINSTALL} delete this hook:' \"$0\" >&2; exit 3\n",
        path = quote(program),
        missing = missing(),
    )
}

/// The value of `hook.yatsu-hook.command`. One command serves every event and git does not say which one it is, but
/// each is told apart by what it comes with: pre-receive by its quarantine, pre-push by its arguments, and the commit of
/// a clean merge by the reflog action of the command that makes it. It ends in a simple command, because git appends
/// the hook's arguments.
pub(crate) fn configured(program: &str) -> String {
    format!(
        "hook() {{ \
         if [ -n \"$GIT_QUARANTINE_PATH\" ]; then set -- pre-receive \"$@\"; \
         elif [ $# -gt 0 ]; then set -- pre-push \"$@\"; \
         else case $GIT_REFLOG_ACTION in merge*|pull*) set -- pre-merge-commit;; *) set -- pre-commit;; esac; fi; \
         y={path}; [ -x \"$y\" ] && exec \"$y\" \"$@\"; \
         for y in {ELSEWHERE}; do case $y in /*) [ -x \"$y\" ] && exec \"$y\" \"$@\";; esac; done; \
         {missing}; \
         echo '{REINSTALL} run: git config --remove-section hook.yatsu-hook' >&2; exit 3; }}; hook",
        path = quote(program),
        missing = missing(),
    )
}

/// The value of `merge.yatsu-ledger.driver`. Without the program, and where the program cannot do it (exit code above
/// 1), git's own three-way merge answers: a driver that merely fails would leave our side in place, and `git add` would
/// then lose theirs.
pub(crate) fn merge_driver(program: &str) -> String {
    format!(
        "y={path}; [ -x \"$y\" ] || y=$(command -v yatsu-hook); \
         case $y in /*) \"$y\" merge-ledger %O %A %B %P; s=$?; [ $s -le 1 ] && exit $s;; esac; \
         exec git merge-file %A %O %B",
        path = quote(program).replace('%', "%%"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shim_has_at_most_six_lines_and_only_line_feeds() {
        for event in HookEvent::ALL {
            let text = plain(event, Some("/opt/a b/it's/yatsu-hook"));
            assert!(text.lines().count() <= 6, "{text}");
            assert!(text.ends_with('\n') && !text.contains('\r'));
            assert!(is_ours(text.as_bytes()) && is_ours(chained(event, "/x").as_bytes()));
        }
    }

    #[test]
    fn the_shims_in_the_repository_are_the_ones_install_writes() {
        for event in HookEvent::ALL {
            let path = format!("{}/hooks/{}", env!("CARGO_MANIFEST_DIR"), event.as_str());
            let written = std::fs::read_to_string(&path).expect(&path);
            assert_eq!(written, plain(event, None), "{path}");
        }
    }

    #[test]
    fn only_the_second_line_makes_a_file_ours() {
        assert!(!is_ours(b"#!/bin/sh\n\n# yatsu-hook shim\n"));
        assert!(!is_ours(b"#!/bin/sh\nyatsu-hook pre-commit\n"));
        assert!(!is_ours(b""));
    }

    #[test]
    fn the_program_is_read_back_from_every_text() {
        let program = "/a b/it's/yatsu-hook";
        for event in HookEvent::ALL {
            assert_eq!(written_program(&plain(event, Some(program))).as_deref(), Some(program));
            assert_eq!(written_program(&chained(event, program)).as_deref(), Some(program));
            assert_eq!(written_program(&plain(event, None)), None);
        }
        assert_eq!(written_program(&configured(program)).as_deref(), Some(program));
    }

    #[test]
    fn quoting_survives_quotes_and_the_driver_keeps_percent_signs() {
        assert_eq!(quote("/a b/it's"), r"'/a b/it'\''s'");
        assert!(merge_driver("/a%P/y").starts_with("y='/a%%P/y';"));
    }
}
