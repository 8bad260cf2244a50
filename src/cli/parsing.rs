//! The time limits for parsing units of source files. The CPU time of this thread counts, so that a busy machine gives
//! the same answer as an idle one.

use crate::error::Error;
use crate::repo::views::UnitReader;
use crate::sys;
use crate::text::units::read;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// The limit for one file, because noise costs the parser more time than its size suggests.
pub(super) const FILE_LIMIT: Duration = Duration::from_millis(500);

/// The limit for all files of one hook together.
const HOOK_LIMIT: Duration = Duration::from_millis(200);

/// The hint for a file that was not parsed.
const ALL_PARSED: &str = "to parse every file: yatsu-hook scan";

/// The CPU time of this thread.
pub(super) fn worked() -> Duration {
    sys::worked()
}

/// Parses every file: for a user who waits for the answer.
pub(crate) fn patient() -> UnitReader {
    UnitReader::Patient(|language, source| {
        let started = worked();
        read(language, source, &mut || worked() - started > FILE_LIMIT)
    })
}

/// Parses files up to the hook's limit: for a hook, which must be quick. The remaining files are not judged.
pub(super) fn brief() -> UnitReader {
    let left = Cell::new(HOOK_LIMIT);
    UnitReader::InTurn(Rc::new(move |language, source| {
        let (started, most) = (worked(), left.get());
        let mut late = most.is_zero();
        let mut ask = || {
            late |= worked() - started > most;
            late
        };
        let found = if ask() { None } else { Some(read(language, source, &mut ask)) };
        left.set(most.saturating_sub(worked() - started));
        found.filter(|_| !late).ok_or_else(|| {
            Error::unparsed("parsing the changed files takes longer than a hook may take").hint(ALL_PARSED)
        })
    }))
}

/// Parses nothing: for a server, because the parsers are large and strangers control their input.
pub(super) fn never() -> UnitReader {
    UnitReader::InTurn(Rc::new(|_, _| Err(Error::unparsed("what is pushed is not parsed here").hint(ALL_PARSED))))
}

#[cfg(all(test, feature = "units"))]
mod tests {
    use super::*;
    use crate::text::units::Language;

    const SMALL: &[u8] = b"fn f() {}\n";

    #[test]
    fn a_hook_gives_up_what_takes_long_and_all_that_follows() {
        let UnitReader::InTurn(read) = brief() else { panic!("one after the other") };
        assert!(read(Language::Rust, SMALL).unwrap().is_ok());
        let large = "fn f() { let a = [1, 2, 3]; }\n".repeat(30_000);
        assert!((0..100).any(|_| read(Language::Rust, large.as_bytes()).is_err()), "the time is over once");
        assert!(read(Language::Rust, SMALL).is_err(), "and stays over");
    }

    #[test]
    fn who_waits_hears_of_every_file_and_a_server_of_none() {
        let UnitReader::Patient(read) = patient() else { panic!("many at once") };
        assert_eq!(read(Language::Rust, SMALL).unwrap().all().len(), 1);
        let UnitReader::InTurn(read) = never() else { panic!("none") };
        assert!(read(Language::Rust, SMALL).is_err());
    }
}
