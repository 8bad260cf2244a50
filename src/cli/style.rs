//! Whether to colour: decided by the flag, then `NO_COLOR`, `CLICOLOR_FORCE`, `TERM=dumb`, then whether the output is a
//! terminal.

use super::args::global::Color;
use std::ffi::OsString;

/// Looks up a variable.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Whether to colour a stream. An empty variable counts as not set (no-color.org); `CLICOLOR_FORCE=0` does not force
/// (bixense.com/clicolors).
pub(super) fn is_colored(choice: Color, env: Lookup<'_>, is_terminal: bool) -> bool {
    let given = |name| env(name).filter(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if given("NO_COLOR").is_some() => false,
        Color::Auto if given("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Color::Auto => is_terminal && env("TERM").is_none_or(|term| term != "dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        use Color::{Always, Auto, Never};
        type Row<'a> = (Color, &'a [(&'a str, &'a str)], bool, bool);
        let table: &[Row<'_>] = &[
            (Auto, &[], true, true),
            (Auto, &[], false, false),
            (Auto, &[("TERM", "xterm")], true, true),
            (Auto, &[("TERM", "dumb")], true, false),
            (Auto, &[("NO_COLOR", "1")], true, false),
            (Auto, &[("NO_COLOR", "0")], true, false),
            (Auto, &[("NO_COLOR", "")], true, true),
            (Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Auto, &[("CLICOLOR_FORCE", "")], false, false),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
            (Always, &[("NO_COLOR", "1"), ("TERM", "dumb")], false, true),
            (Never, &[("CLICOLOR_FORCE", "1")], true, false),
        ];
        for (choice, env, terminal, colored) in table {
            let lookup = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
            assert_eq!(is_colored(*choice, &lookup, *terminal), *colored, "{choice:?} {env:?} {terminal}");
        }
    }
}
