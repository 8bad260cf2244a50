//! Windows refuses to open, rename or remove a file that another program has open without sharing it, for example a virus
//! scanner. Such a refusal mostly lasts milliseconds.

use std::io;
use std::time::{Duration, Instant};

/// How long to try again.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);
/// `ERROR_SHARING_VIOLATION` and `ERROR_LOCK_VIOLATION`.
const IN_USE: [i32; 2] = [32, 33];

/// Does `act`, and again for a moment while another program uses the file.
pub(super) fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let until = Instant::now() + PATIENCE;
    loop {
        match act() {
            Err(error) if is_in_use(&error) && Instant::now() < until => std::thread::sleep(PAUSE),
            Err(error) if is_in_use(&error) => {
                return Err(io::Error::new(error.kind(), format!("in use by another program: {error}")));
            }
            outcome => return outcome,
        }
    }
}

/// Whether a program that no job takes has ended, or ends within a moment: a job takes no program that has ended, and the
/// answer of a short one is as good as any. A program that runs on would outlive us.
pub(super) fn ends_soon(has_ended: &mut dyn FnMut() -> io::Result<bool>) -> io::Result<bool> {
    let until = Instant::now() + PATIENCE;
    while !has_ended()? {
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(true)
}

fn is_in_use(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| IN_USE.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails with this code so many times, and then returns the number of calls.
    fn refused(code: i32, times: u32) -> io::Result<u32> {
        let mut calls = 0;
        patiently(|| {
            calls += 1;
            if calls > times { Ok(calls) } else { Err(io::Error::from_raw_os_error(code)) }
        })
    }

    #[test]
    fn a_file_in_use_is_tried_again_and_named_when_it_stays_in_use() {
        assert_eq!(refused(32, 2).unwrap(), 3);
        assert_eq!(refused(33, 1).unwrap(), 2);
        assert!(refused(32, u32::MAX).unwrap_err().to_string().contains("in use by another program"));
    }

    #[test]
    fn a_program_that_ends_needs_no_job_and_one_that_runs_on_does() {
        let mut asked = 0;
        assert!(ends_soon(&mut || Ok(std::mem::replace(&mut asked, 1) == 1)).unwrap());
        assert!(!ends_soon(&mut || Ok(false)).unwrap());
        assert!(ends_soon(&mut || Err(io::ErrorKind::Other.into())).is_err());
    }

    #[test]
    fn another_error_is_reported_at_once() {
        assert_eq!(refused(2, 1).unwrap_err().raw_os_error(), Some(2));
    }
}
