//! How long the units of source files may be parsed, for whom. Counted is what this thread works: on a busy machine the
//! same is said as on an idle one.

use crate::error::Error;
use crate::repo::views::UnitReader;
use crate::text::units::read;
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// How long one file may take: noise costs the parser more than it counts.
pub(super) const FILE_LIMIT: Duration = Duration::from_millis(500);

/// How long all files of one hook may take together.
const HOOK_LIMIT: Duration = Duration::from_millis(200);

/// Who has the time to parse everything.
const ALL_PARSED: &str = "to parse every file: yatsu-hook scan";

/// How long this thread has worked.
pub(super) fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// For whoever waits for an answer: every file that is asked about is parsed.
pub(super) fn patient() -> UnitReader {
    UnitReader::Patient(|language, source| {
        let started = worked();
        read(language, source, &mut || worked() - started > FILE_LIMIT)
    })
}

/// For a hook, which nobody wants to wait for: what is left when its time is up is not judged.
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

/// For what a stranger pushes: the parsers are large, and their input is his.
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
