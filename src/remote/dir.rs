//! `file:DIR`: a directory that several machines see, for example on a shared disk. It uses the same keys as a bucket,
//! `<2 hex>/<64 hex>`. A file gets its name only when its bytes are complete and durable.

use super::{Expired, Held, Listed, Month, Offered, Piece, PutReceipt, Remote, Supply, Taker, Withheld, read_piece};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::store::atomic::{PREFIX, Temp};
use crate::store::folder::{Folder, failed};
use crate::sys::{Access, FileKind};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PROBE: &[u8] = b"yatsu-hook: may this directory keep evidence?\n";

/// A directory as a remote.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// The pieces that were read back, or written and made durable, in this run.
    proven: BTreeSet<EvidenceHash>,
    /// Objects under the names of pieces that cannot be read. They do not stop the other pieces.
    notes: Vec<String>,
}

impl Directory {
    /// The directory at this absolute path. It must exist: if a mount is missing, no new directory may be made on the
    /// disk below it.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, proven: BTreeSet::new(), notes: Vec::new() }
    }

    fn top(&self) -> Result<Folder> {
        Folder::open(&self.path).map_err(|mut error| {
            let first = match std::fs::metadata(&self.path) {
                Ok(about) if !about.is_dir() => "it is no directory: name one, yatsu-hook share on file:DIR",
                Ok(_) => return error.context("the directory that evidence is shared through"),
                Err(_) => "mount it, or make it, first",
            };
            error.hints = vec![first.to_owned()];
            error.context("the directory that evidence is shared through")
        })
    }

    /// The file of a piece and its size. An error concerns only this piece, because `top` is open already.
    fn open(top: &Folder, hash: &EvidenceHash) -> Result<Option<(File, u64)>> {
        let (dir, name) = key(hash);
        let Some(home) = top.below(&dir)? else { return Ok(None) };
        let Some(file) = home.open_file(&name, Access::Read)? else { return Ok(None) };
        let about = file.metadata().map_err(|error| failed("examine", &home.join(&name), error))?;
        Ok(Some((file, about.len())))
    }

    /// What is known of a piece.
    fn held(&mut self, top: &Folder, hash: &EvidenceHash) -> Held {
        match Self::open(top, hash) {
            Ok(None) => Held::No,
            Ok(Some((_, size))) if self.proven.contains(hash) => Held::Proven { size },
            Ok(Some((_, size))) => Held::Said { by: self.name(), size, is_hearsay: false },
            Err(error) => {
                self.notes.push(error.message);
                Held::No
            }
        }
    }

    /// Removes a piece, if it is there.
    fn remove(top: &Folder, hash: &EvidenceHash) -> Result<()> {
        let (dir, name) = key(hash);
        let Some(home) = top.below(&dir)? else { return Ok(()) };
        if home.stat_of(&name)?.is_some() {
            home.unlink(&name)?;
            home.sync()?;
        }
        Ok(())
    }

    /// Whether the right bytes of `piece` are there.
    fn is_right(top: &Folder, piece: &Piece) -> Result<bool> {
        let Some((mut file, _)) = Self::open(top, &piece.hash)? else { return Ok(false) };
        Ok(copy(&mut file, &mut io::sink(), &mut |_| {}, top.path())? == *piece)
    }

    /// Copies the file `from` there, unless the right bytes are there already, and notes the result in `receipt`.
    fn place(&mut self, piece: &Piece, from: &Path, supply: &mut dyn Supply, receipt: &mut PutReceipt) -> Result<()> {
        let top = self.top()?;
        match Self::is_right(&top, piece) {
            Ok(false) => {}
            Ok(true) => {
                self.proven.insert(piece.hash);
                receipt.there.push(*piece);
                return Ok(());
            }
            // an object under the piece's name is in the way and stays
            Err(error) => {
                receipt.refused.push((*piece, error.message));
                return Ok(());
            }
        }
        let (dir, name) = key(&piece.hash);
        let home = Arc::new(top.ensure_below(&dir)?);
        let mut source = File::open(from).map_err(|error| failed("read", from, error))?;
        let mut temp = Temp::create(&home, 0o444)?;
        let copied = copy(&mut source, &mut temp, &mut |bytes| supply.done(bytes), from)?;
        if copied != *piece {
            receipt.refused.push((*piece, "it changed while it was copied".to_owned()));
            return Ok(());
        }
        temp.sync(piece.size)?;
        // Two machines may copy the same bytes at once; the last rename puts the same content under the name.
        temp.publish(&name)?;
        self.proven.insert(piece.hash);
        receipt.sent.push(*piece);
        Ok(())
    }

    /// Shows every piece with the time of its file in seconds since 1970. Returns the errors of unreadable parts.
    fn walk(&self, see: &mut dyn FnMut(Piece, i64)) -> Result<Vec<String>> {
        let (top, mut unread) = (self.top()?, Vec::new());
        for dir in top.names()? {
            let is_key = dir.len() == 2 && dir.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit);
            if is_key && let Err(error) = walk_in(&top, &dir, see) {
                unread.push(error.message);
            }
        }
        Ok(unread)
    }
}

/// Shows the pieces in the directory `dir`, one file each.
fn walk_in(top: &Folder, dir: &OsStr, see: &mut dyn FnMut(Piece, i64)) -> Result<()> {
    let Some(home) = top.below(dir)? else { return Ok(()) };
    for name in home.names()? {
        let Some(hash) = EvidenceHash::from_hex(name.as_encoded_bytes()) else { continue };
        let Some(stat) = home.stat_of(&name)?.filter(|_| key(&hash).0 == dir) else { continue };
        if stat.kind == FileKind::Regular {
            see(Piece { hash, size: stat.size }, stat.modified.0);
        }
    }
    Ok(())
}

impl Remote for Directory {
    fn name(&self) -> String {
        format!("file:{}", self.path.display())
    }

    fn probe(&mut self) -> Result<()> {
        let top = Arc::new(self.top()?);
        let mut temp = Temp::create(&top, 0o600).map_err(|error| error.context("nothing can be written there"))?;
        temp.append(PROBE)?;
        temp.sync(PROBE.len() as u64)?;
        let name = OsString::from(format!("{PREFIX}probe-{}", std::process::id()));
        temp.publish(&name)?;
        let mut back = Vec::new();
        let read = top.open_file(&name, Access::Read)?.map(|file| file.take(1 << 16).read_to_end(&mut back));
        top.unlink(&name)?;
        match read {
            Some(Ok(_)) if back == PROBE => Ok(()),
            _ => Err(Error::unchecked(format!("{} does not give back what was put there", self.name()))
                .hint("look whether its disk is full, and whether something else writes or sweeps there")),
        }
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        let unread = self.walk(&mut |piece, _| see(piece))?;
        Ok(if unread.is_empty() { Listed::Whole } else { Listed::Partly(unread) })
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let top = self.top()?;
        Ok(hashes.iter().map(|hash| self.held(&top, hash)).collect())
    }

    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        let top = self.top()?;
        let mut withheld = Vec::new();
        for hash in wanted {
            let why = match Self::open(&top, hash) {
                Err(error) => error.message,
                Ok(None) => "it has nothing of that name".to_owned(),
                Ok(Some((_, size))) if size > cap => format!("it has {size} bytes, and {cap} are allowed"),
                Ok(Some((file, _))) => {
                    if taker.take(hash, &mut file.take(cap))? == Offered::Right {
                        self.proven.insert(*hash);
                        continue;
                    }
                    "the file under that name has other content".to_owned()
                }
            };
            withheld.push(Withheld { hash: *hash, why });
        }
        Ok(withheld)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        let mut receipt = PutReceipt::default();
        for piece in pieces {
            // a piece that is missing or corrupt here does not stop the others
            match supply.file(piece) {
                Err(error) => receipt.refused.push((*piece, error.message)),
                Ok(from) => self.place(piece, &from, supply, &mut receipt)?,
            }
        }
        Ok(receipt)
    }

    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt> {
        let (top, mut receipt) = (self.top()?, PutReceipt::default());
        for piece in pieces {
            match Self::is_right(&top, piece) {
                Ok(true) => receipt.there.push(*piece),
                Ok(false) => receipt.sent.push(*piece),
                Err(error) => receipt.refused.push((*piece, error.message)),
            }
        }
        Ok(receipt)
    }

    fn delete(&mut self, hashes: &[EvidenceHash], _reason: &str) -> Result<()> {
        let (top, mut broken) = (self.top()?, None);
        for hash in hashes {
            self.proven.remove(hash);
            // a piece that cannot be removed does not stop the others
            broken = broken.or(Self::remove(&top, hash).err());
        }
        broken.map_or(Ok(()), Err)
    }

    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        let mut expired = Expired::default();
        let end = before.begins().map_or(i64::MIN, |begin| begin.millis / 1000);
        let unread = self.walk(&mut |piece, changed| {
            if changed < end && is_needed(&piece.hash) {
                expired.kept += 1;
            } else if changed < end {
                expired.gone.push(piece);
            }
        })?;
        if let Some(reason) = unread.first() {
            return Err(Error::unchecked(format!(
                "nothing was deleted, because not everything could be read: {reason}"
            ))
            .hint("look at what lies there, then run the same command again"));
        }
        if !dry_run {
            let gone: Vec<_> = expired.gone.iter().map(|piece| piece.hash).collect();
            self.delete(&gone, "nothing names it any more")?;
        }
        Ok(expired)
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

/// The place of a piece: its directory and its file name. Made from the hash alone, never from received text.
fn key(hash: &EvidenceHash) -> (OsString, OsString) {
    let hex = hash.to_string();
    (OsStr::new(&hex[..2]).to_owned(), OsString::from(hex))
}

/// Copies everything and returns the piece that it was. `path` is for messages.
fn copy(from: &mut dyn Read, to: &mut dyn Write, done: &mut dyn FnMut(u64), path: &Path) -> Result<Piece> {
    read_piece(
        from,
        |error| failed("read", path, error),
        |bytes| {
            to.write_all(bytes).map_err(|error| failed("copy", path, error))?;
            done(bytes.len() as u64);
            Ok(())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::hands::Hands;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_lie_is_withheld_and_a_put_heals_it() {
        let (shared, mut hands) = (tempfile::tempdir().unwrap(), Hands::new());
        let mut remote = Directory::new(shared.path().to_owned());
        let piece = hands.piece(b"measured");
        remote.put(&[piece], &mut hands).unwrap();
        let (dir, name) = key(&piece.hash);
        let path = shared.path().join(dir).join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        std::fs::write(&path, b"measurec").unwrap();
        let mut elsewhere = Directory::new(shared.path().to_owned());
        assert!(elsewhere.get(&[piece.hash], 8, &mut hands).unwrap()[0].why.contains("other content"));
        assert!(elsewhere.get(&[piece.hash], 7, &mut hands).unwrap()[0].why.contains("7 are allowed"));
        assert_eq!(elsewhere.put(&[piece], &mut hands).unwrap().sent, [piece]);
        assert_eq!(elsewhere.get(&[piece.hash], 8, &mut hands).unwrap(), []);
    }

    #[test]
    fn what_is_no_file_under_the_name_of_a_piece_stops_that_piece_alone() {
        let make: [fn(&Path); 4] = [
            |path| std::fs::create_dir(path).unwrap(),
            |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
            |path| std::os::unix::fs::symlink("nowhere", path).unwrap(),
            |path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()),
        ];
        for make in make {
            for is_home in [false, true] {
                let (shared, mut hands) = (tempfile::tempdir().unwrap(), Hands::new());
                let [odd, right] = [hands.piece(b"odd"), hands.piece(b"right")];
                let (dir, name) = key(&odd.hash);
                let home = shared.path().join(dir);
                if is_home {
                    make(&home);
                } else {
                    std::fs::create_dir(&home).unwrap();
                    make(&home.join(&name));
                }
                // a directory in the place of a directory is normal
                let is_odd = !(is_home && home.symlink_metadata().unwrap().is_dir());
                let mut remote = Directory::new(shared.path().to_owned());
                let receipt = remote.put(&[odd, right], &mut hands).unwrap();
                assert_eq!(receipt.refused.len(), usize::from(is_odd), "{receipt:?}");
                assert!(receipt.sent.contains(&right));
                let held = remote.has(&[odd.hash, right.hash]).unwrap();
                assert_eq!((held[0] == Held::No, held[1].clone()), (is_odd, Held::Proven { size: 5 }));
                assert_eq!(remote.notes().len(), usize::from(is_odd));
                let withheld = remote.get(&[odd.hash, right.hash], 100, &mut hands).unwrap();
                assert_eq!(withheld.len(), usize::from(is_odd), "{withheld:?}");
                let mut seen = Vec::new();
                let listed = remote.list(&mut |piece| seen.push(piece)).unwrap();
                assert!(seen.contains(&right) && seen.contains(&odd) != is_odd, "{seen:?}");
                assert_eq!(listed == Listed::Whole, !(is_home && is_odd), "{listed:?}");
                let _ = remote.delete(&[odd.hash, right.hash], "a test");
                assert_eq!(remote.has(&[right.hash]).unwrap(), [Held::No]);
            }
        }
    }

    #[test]
    fn a_directory_that_is_not_mounted_is_not_made() {
        let shared = tempfile::tempdir().unwrap();
        let mut remote = Directory::new(shared.path().join("mount"));
        let hints = |remote: &mut Directory| remote.probe().unwrap_err().hints;
        assert_eq!(hints(&mut remote), ["mount it, or make it, first"]);
        assert!(remote.has(&[]).is_err());
        std::fs::write(shared.path().join("file"), "").unwrap();
        let mut file = Directory::new(shared.path().join("file"));
        assert!(hints(&mut file)[0].contains("no directory"), "the first hint says what is wrong");
        assert!(!shared.path().join("mount").exists());
    }

    #[test]
    fn only_what_is_old_and_not_needed_expires() {
        let (shared, mut hands) = (tempfile::tempdir().unwrap(), Hands::new());
        let mut remote = Directory::new(shared.path().to_owned());
        let pieces = [hands.piece(b"old"), hands.piece(b"old and needed"), hands.piece(b"new")];
        remote.put(&pieces, &mut hands).unwrap();
        for piece in &pieces[..2] {
            let (dir, name) = key(&piece.hash);
            let file = File::open(shared.path().join(dir).join(name)).unwrap();
            file.set_times(std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH)).unwrap();
        }
        let month = Month::parse("2020-01").unwrap();
        let mut needed = |hash: &EvidenceHash| *hash == pieces[1].hash;
        let tried = remote.expire(month, &mut needed, true).unwrap();
        assert_eq!(tried, Expired { gone: vec![pieces[0]], kept: 1 });
        assert_eq!(remote.expire(month, &mut needed, false).unwrap(), tried);
        assert_eq!(remote.expire(month, &mut needed, false).unwrap(), Expired { gone: vec![], kept: 1 });
    }

    #[test]
    fn where_something_cannot_be_read_nothing_expires() {
        let (shared, mut hands) = (tempfile::tempdir().unwrap(), Hands::new());
        let mut remote = Directory::new(shared.path().to_owned());
        let piece = hands.piece(b"old");
        remote.put(&[piece], &mut hands).unwrap();
        let odd = if key(&piece.hash).0 == "ab" { "cd" } else { "ab" };
        std::os::unix::fs::symlink("nowhere", shared.path().join(odd)).unwrap();
        let error = remote.expire(Month::parse("9999-01").unwrap(), &mut |_| false, false).unwrap_err();
        assert!(error.message.contains("nothing was deleted"), "{error}");
        assert_eq!(remote.has(&[piece.hash]).unwrap(), [Held::Proven { size: 3 }]);
    }
}
