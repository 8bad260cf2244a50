//! The file of observations, `<common dir>/yatsu/observations.ndjson`: a line for each command that a coding agent ran and a
//! scenario declares (docs/agents.md). The store does not interpret the lines. It holds the newest ones only; each change
//! replaces the whole file in one rename, under the lock of the ledgers.

use super::Store;
use super::folder::{Folder, failed};
use super::ledger::OpenLedger;
use super::lock::DIRECTORY;
use crate::error::{Error, Result};
use crate::sys::Access;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

const NAME: &str = "observations.ndjson";

/// How many lines are kept.
const MOST_LINES: usize = 256;
/// How many bytes are kept, line ends included.
const MOST_BYTES: usize = 1 << 20;

/// The lines, read without a lock: a writer replaces the file, so they are whole.
///
/// # Errors
/// When the file exists and cannot be read, or is longer than any that this program writes.
pub(crate) fn read(common_dir: &Path) -> Result<Vec<u8>> {
    let Some(folder) = Folder::open(common_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(Vec::new()) };
    let Some(file) = folder.open_file(OsStr::new(NAME), Access::Read)? else { return Ok(Vec::new()) };
    let path = folder.join(OsStr::new(NAME));
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed("read", &path, error))?;
    match bytes.len() > MOST_BYTES {
        true => Err(Error::unchecked(format!("{} has more than {MOST_BYTES} bytes", path.display()))
            .hint("delete it: the next observed command begins a new one")),
        false => Ok(bytes),
    }
}

/// Adds a line, given without its line end, unless `is_known` finds it among the lines, which it gets in their order. The
/// oldest lines go over the limits.
///
/// # Errors
/// When it could not be written; the file is then unchanged. A line longer than the file may be is not written.
pub(crate) fn add(store: &Store, line: &str, is_known: impl Fn(&[&[u8]]) -> bool) -> Result<()> {
    if line.len() >= MOST_BYTES {
        let message = format!("an observation of {} bytes is not recorded; the limit is {MOST_BYTES}", line.len());
        return Err(Error::unchecked(message).hint("let fewer scenarios declare the same command"));
    }
    let lock = store.lock_ledger()?;
    let file = OpenLedger::open_in(&lock, store.folder()?, OsStr::new(NAME))?;
    // no file of this program is longer
    let bytes = if file.length() > MOST_BYTES as u64 { Vec::new() } else { file.read()? };
    let old: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    if is_known(&old) {
        return Ok(());
    }
    let mut room = MOST_BYTES - line.len() - 1;
    let fits = |line: &&&[u8]| match room.checked_sub(line.len() + 1) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    let mut kept: Vec<&[u8]> = old.iter().rev().take(MOST_LINES - 1).take_while(fits).copied().collect();
    kept.reverse();
    kept.push(line.as_bytes());
    file.replace(&kept.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(store: &Store) -> Vec<String> {
        let text = String::from_utf8(read(store.common_dir()).unwrap()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_newest_lines_are_kept_and_a_known_one_is_not_added_again() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        assert_eq!(lines(&store), [""; 0]);
        for number in 0..MOST_LINES + 2 {
            add(&store, &format!("{{\"n\":{number}}}"), |_| false).unwrap();
        }
        let kept = lines(&store);
        assert_eq!((kept.len(), &*kept[0], &*kept[255]), (256, "{\"n\":2}", "{\"n\":257}"));
        add(&store, "{\"n\":257,\"again\":1}", |lines| lines.last() == Some(&&b"{\"n\":257}"[..])).unwrap();
        assert_eq!(lines(&store), kept);
        let long = format!("{{\"n\":\"{}\"}}", "x".repeat(MOST_BYTES / 2));
        add(&store, &long, |_| false).unwrap();
        assert_eq!(lines(&store).len(), 256);
        add(&store, &long, |_| false).unwrap();
        assert_eq!(lines(&store), [&*long], "two do not fit");
        assert!(add(&store, &"x".repeat(MOST_BYTES), |_| false).is_err());
        assert_eq!(lines(&store), [&*long]);
    }

    #[test]
    fn a_file_that_no_program_of_ours_wrote_is_not_read_and_begun_anew() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        let path = scratch.path().join(DIRECTORY).join(NAME);
        std::fs::create_dir(scratch.path().join(DIRECTORY)).unwrap();
        std::fs::write(&path, vec![b'\n'; MOST_BYTES + 1]).unwrap();
        assert_eq!(read(scratch.path()).unwrap_err().kind.exit_code(), 3);
        add(&store, "{}", |_| false).unwrap();
        assert_eq!(lines(&store), ["{}"]);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
        assert!(read(scratch.path()).is_err() && add(&store, "{}", |_| false).is_err());
    }
}
