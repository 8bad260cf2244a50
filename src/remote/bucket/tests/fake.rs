//! A fake of `yatsu-hook-cloud` in a thread, over a directory. It answers truthfully, or with a given lie.

use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use crate::remote::bucket::CloudPipes;
use crate::remote::bucket::wire::{CloudAnswer, CloudQuestion, CloudTrouble, GREETING, StoredVersion};
use crate::remote::tests::hands::piece_of;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Replaces the answers to a question; `None` leaves the true answer.
pub(super) type Wrong = dyn Fn(&CloudQuestion) -> Option<Vec<u8>> + Send + Sync;

/// A program with its bucket in `dir`.
pub(super) fn program(dir: &Path, wrong: Arc<Wrong>) -> Result<CloudPipes> {
    let (ask, asked) = io::pipe().unwrap();
    let (answered, answer) = io::pipe().unwrap();
    let fake = Fake { dir: dir.to_owned(), wrong };
    std::thread::spawn(move || fake.serve(ask, answer));
    Ok(CloudPipes {
        questions: Box::new(asked),
        answers: Box::new(answered),
        complaints: Box::new(&b"it is only a fake\n"[..]),
        child: None,
    })
}

/// Answers that are always true.
pub(super) fn truth() -> Arc<Wrong> {
    Arc::new(|_| None)
}

struct Fake {
    dir: PathBuf,
    wrong: Arc<Wrong>,
}

impl Fake {
    fn serve(&self, from: io::PipeReader, mut to: io::PipeWriter) {
        let mut lines = BufReader::new(from).lines();
        if lines.next().is_none_or(|line| line.unwrap() != GREETING) || writeln!(to, "{GREETING}").is_err() {
            return;
        }
        for line in lines.map_while(io::Result::ok) {
            let question = CloudQuestion::parse(&line).unwrap();
            let told = (self.wrong)(&question).unwrap_or_else(|| {
                let answers = [CloudAnswer::Busy(1)].into_iter().chain(self.answer(&question));
                answers.map(|answer| format!("{answer}\n")).collect::<String>().into_bytes()
            });
            // an empty answer means that the program dies
            if told.is_empty() || to.write_all(&told).is_err() {
                return;
            }
        }
    }

    fn answer(&self, question: &CloudQuestion) -> Vec<CloudAnswer> {
        vec![match question {
            CloudQuestion::Probe(_) => CloudAnswer::Done,
            CloudQuestion::Has(hash) => self.size(hash).map_or(CloudAnswer::Absent, |size| self.stored(hash, size)),
            CloudQuestion::Get { hash, cap, file } => self.get(hash, *cap, file),
            CloudQuestion::Put { piece, file } => self.put(piece, file),
            CloudQuestion::Delete { hash, .. } => {
                fs::remove_file(self.path(hash)).map_or(CloudAnswer::Absent, |()| CloudAnswer::Done)
            }
            CloudQuestion::List => return self.list(),
        }]
    }

    fn path(&self, hash: &EvidenceHash) -> PathBuf {
        self.dir.join(hash.to_string())
    }

    /// The version of an object in this store; it changes with each put.
    fn version(&self, hash: &EvidenceHash) -> Option<StoredVersion> {
        let about = fs::metadata(self.path(hash)).ok()?;
        StoredVersion::of(Some(&format!("{}.{}", about.ino(), about.mtime_nsec())), None)
    }

    fn stored(&self, hash: &EvidenceHash, size: u64) -> CloudAnswer {
        self.version(hash).map_or(CloudAnswer::Count(size), |version| CloudAnswer::Stored(size, version))
    }

    fn size(&self, hash: &EvidenceHash) -> Option<u64> {
        fs::metadata(self.path(hash)).ok().map(|about| about.len())
    }

    fn get(&self, hash: &EvidenceHash, cap: u64, file: &Path) -> CloudAnswer {
        match fs::read(self.path(hash)) {
            Ok(bytes) if bytes.len() as u64 > cap => {
                CloudAnswer::No(format!("it has {} bytes, and {cap} are allowed", bytes.len()))
            }
            Ok(bytes) => {
                assert!(file.exists(), "the file is made by us, and nobody else");
                fs::write(file, &bytes).unwrap();
                self.stored(hash, bytes.len() as u64)
            }
            Err(_) => CloudAnswer::Absent,
        }
    }

    fn put(&self, piece: &Piece, file: &Path) -> CloudAnswer {
        if self.size(&piece.hash) == Some(piece.size) {
            return CloudAnswer::There;
        }
        match fs::read(file) {
            Ok(bytes) if piece_of(&bytes) == *piece => {
                let odd = format!(".{:?}", std::thread::current().id());
                fs::write(self.dir.join(&odd), bytes).unwrap();
                fs::rename(self.dir.join(&odd), self.path(&piece.hash)).unwrap();
                CloudAnswer::Sent(self.version(&piece.hash))
            }
            _ => CloudAnswer::Fail(CloudTrouble::Local, "it changed".to_owned()),
        }
    }

    fn list(&self) -> Vec<CloudAnswer> {
        let mut answers = Vec::new();
        for entry in fs::read_dir(&self.dir).unwrap().map(|entry| entry.unwrap()) {
            let Some(hash) = EvidenceHash::from_hex(entry.file_name().as_encoded_bytes()) else { continue };
            let about = entry.metadata().unwrap();
            answers.push(CloudAnswer::Listed(Piece { hash, size: about.len() }, about.mtime()));
        }
        answers.push(CloudAnswer::Count(answers.len() as u64));
        answers
    }
}
