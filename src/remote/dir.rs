//! `file:DIR`: a directory that several machines see, a shared disk say. The same keys as a bucket, `<2 hex>/<64 hex>`;
//! a file has its name only when its bytes are whole and durable.

use super::{Expired, Held, Listed, Month, Offered, Piece, PutReceipt, Remote, Supply, Taker, Withheld};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::store::atomic::{PREFIX, Temp};
use crate::store::folder::{Folder, failed};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many bytes are copied at once.
const BUFFER: usize = 128 * 1024;
/// What the probe puts there.
const PROBE: &[u8] = b"yatsu-hook: may this directory keep evidence?\n";

/// What became of a piece that was to be copied.
enum Copied {
    /// It is there now.
    Now,
    /// It was there.
    Before,
    /// What was to be copied is not the piece any more, and nothing was kept of it.
    Changed,
}

/// A directory as a remote.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// What was read back, or written and made durable, in this run.
    proven: BTreeSet<EvidenceHash>,
}

impl Directory {
    /// The directory at this absolute path, which must be there already: a mount that is missing must not turn into a new
    /// directory on the disk below it.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, proven: BTreeSet::new() }
    }

    fn top(&self) -> Result<Folder> {
        Folder::open(&self.path).map_err(|error| {
            error.context("the directory that evidence is shared through").hint("mount it, or make it, first")
        })
    }

    /// The directory of the pieces whose names begin like this one's; `None` where it is not there and `make` is false.
    fn home(&self, hash: &EvidenceHash, make: bool) -> Result<Option<Arc<Folder>>> {
        let (dir, _) = key(hash);
        let top = self.top()?;
        let found = if make { Some(top.ensure_below(&dir)?) } else { top.below(&dir)? };
        Ok(found.map(Arc::new))
    }

    fn open(&self, hash: &EvidenceHash) -> Result<Option<File>> {
        let Some(home) = self.home(hash, false)? else { return Ok(None) };
        home.open_file(&key(hash).1, OFlags::RDONLY)
    }

    /// Copies the file at `from` there, unless its right bytes are there already.
    fn place(&mut self, piece: &Piece, from: &Path, supply: &mut dyn Supply) -> Result<Copied> {
        let home = self.home(&piece.hash, true)?.ok_or_else(|| Error::unchecked("the directory cannot be made"))?;
        let name = key(&piece.hash).1;
        if let Some(mut there) = home.open_file(&name, OFlags::RDONLY)?
            && copy(&mut there, &mut io::sink(), &mut |_| {}, &home.join(&name))? == *piece
        {
            self.proven.insert(piece.hash);
            return Ok(Copied::Before);
        }
        let mut source = File::open(from).map_err(|error| failed("read", from, error))?;
        let mut temp = Temp::create(&home, 0o444)?;
        let copied = copy(&mut source, &mut temp, &mut |bytes| supply.done(bytes), from)?;
        if copied != *piece {
            return Ok(Copied::Changed);
        }
        temp.sync(piece.size)?;
        // Two machines may copy the same bytes at once; whoever renames last puts the same content under the name.
        temp.publish(&name)?;
        self.proven.insert(piece.hash);
        Ok(Copied::Now)
    }

    /// Every piece with the time of its file in seconds since 1970.
    fn walk(&self, see: &mut dyn FnMut(Piece, i64) -> Result<()>) -> Result<()> {
        let top = self.top()?;
        for dir in top.names()? {
            let is_key = dir.len() == 2 && dir.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit);
            let Some(home) = (if is_key { top.below(&dir)? } else { None }) else { continue };
            for name in home.names()? {
                let Some(hash) = EvidenceHash::from_hex(name.as_encoded_bytes()) else { continue };
                let Some(stat) = home.stat_of(&name)?.filter(|_| key(&hash).0 == dir) else { continue };
                see(Piece { hash, size: stat.st_size as u64 }, stat.st_mtime)?;
            }
        }
        Ok(())
    }
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
        let read = top.open_file(&name, OFlags::RDONLY)?.map(|file| file.take(1 << 16).read_to_end(&mut back));
        top.unlink(&name)?;
        match read {
            Some(Ok(_)) if back == PROBE => Ok(()),
            _ => Err(Error::unchecked(format!("{} does not give back what was put there", self.name()))),
        }
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        self.walk(&mut |piece, _| {
            see(piece);
            Ok(())
        })?;
        Ok(Listed::Whole)
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        self.top()?;
        let held = |hash: &EvidenceHash| -> Result<Held> {
            let Some(file) = self.open(hash)? else { return Ok(Held::No) };
            let size = file.metadata().map_err(|error| failed("examine", &self.path, error))?.len();
            Ok(if self.proven.contains(hash) { Held::Proven { size } } else { Held::Said { by: self.name(), size } })
        };
        hashes.iter().map(held).collect()
    }

    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        self.top()?;
        let mut withheld = Vec::new();
        for hash in wanted {
            let why = match self.open(hash)? {
                None => "it has nothing of that name".to_owned(),
                Some(file) => {
                    let size = file.metadata().map_err(|error| failed("examine", &self.path, error))?.len();
                    if size > cap {
                        format!("it has {size} bytes, and {cap} are allowed")
                    } else if taker.take(hash, &mut file.take(cap))? == Offered::Right {
                        self.proven.insert(*hash);
                        continue;
                    } else {
                        "what it has under that name is something else".to_owned()
                    }
                }
            };
            withheld.push(Withheld { hash: *hash, why });
        }
        Ok(withheld)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        let mut receipt = PutReceipt::default();
        for piece in pieces {
            // one that is gone or corrupt here does not keep the others from going
            match supply.file(piece) {
                Err(error) => receipt.refused.push((*piece, error.message)),
                Ok(from) => match self.place(piece, &from, supply)? {
                    Copied::Now => receipt.sent.push(*piece),
                    Copied::Before => receipt.there.push(*piece),
                    Copied::Changed => receipt.refused.push((*piece, "it changed while it was copied".to_owned())),
                },
            }
        }
        Ok(receipt)
    }

    fn delete(&mut self, hashes: &[EvidenceHash], _reason: &str) -> Result<()> {
        for hash in hashes {
            if let Some(home) = self.home(hash, false)?
                && home.stat_of(&key(hash).1)?.is_some()
            {
                home.unlink(&key(hash).1)?;
                home.sync()?;
            }
            self.proven.remove(hash);
        }
        Ok(())
    }

    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        let mut expired = Expired::default();
        let end = before.begins().map_or(i64::MIN, |begin| begin.millis / 1000);
        self.walk(&mut |piece, changed| {
            if changed < end && is_needed(&piece.hash) {
                expired.kept += 1;
            } else if changed < end {
                expired.gone.push(piece);
            }
            Ok(())
        })?;
        if !dry_run {
            let gone: Vec<_> = expired.gone.iter().map(|piece| piece.hash).collect();
            self.delete(&gone, "nothing names it any more")?;
        }
        Ok(expired)
    }
}

/// Where a piece lies: its directory and its name in it. Built from the hash alone, never from what anybody says.
fn key(hash: &EvidenceHash) -> (OsString, OsString) {
    let hex = hash.to_string();
    (OsStr::new(&hex[..2]).to_owned(), OsString::from(hex))
}

/// Copies everything and says what it was; `path` is for messages.
fn copy(from: &mut dyn Read, to: &mut dyn Write, done: &mut dyn FnMut(u64), path: &Path) -> Result<Piece> {
    let (mut hasher, mut size, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER]);
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(Piece { hash: EvidenceHash(hasher.finalize().into()), size }),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed("read", path, error)),
        };
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count]).map_err(|error| failed("copy", path, error))?;
        size += count as u64;
        done(count as u64);
    }
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
        assert!(elsewhere.get(&[piece.hash], 8, &mut hands).unwrap()[0].why.contains("something else"));
        assert!(elsewhere.get(&[piece.hash], 7, &mut hands).unwrap()[0].why.contains("7 are allowed"));
        assert_eq!(elsewhere.put(&[piece], &mut hands).unwrap().sent, [piece]);
        assert_eq!(elsewhere.get(&[piece.hash], 8, &mut hands).unwrap(), []);
    }

    #[test]
    fn a_directory_that_is_not_mounted_is_not_made() {
        let shared = tempfile::tempdir().unwrap();
        let mut remote = Directory::new(shared.path().join("mount"));
        assert!(remote.probe().is_err());
        assert!(remote.has(&[]).is_err());
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
}
