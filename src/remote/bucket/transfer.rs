//! The conversations: a list of questions, a listing, sending pieces, receiving pieces.

use super::session::Conversation;
use super::trouble;
use super::wire::{CloudAnswer, CloudQuestion, CloudTrouble, StoredVersion};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Offered, Piece, PutReceipt, Supply, Taker, Withheld};
use crate::store::atomic::Temp;
use crate::store::folder::Folder;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, VecDeque};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec::IntoIter;

/// Questions with one answer each.
pub(super) struct Each {
    questions: IntoIter<CloudQuestion>,
    /// The answers, in the order of the questions.
    pub answers: Vec<CloudAnswer>,
}

impl Each {
    pub(super) fn new(questions: Vec<CloudQuestion>) -> Self {
        Self { questions: questions.into_iter(), answers: Vec::new() }
    }
}

impl Conversation for Each {
    fn ask(&mut self) -> Result<Option<CloudQuestion>> {
        Ok(self.questions.next())
    }

    fn hear(&mut self, answer: CloudAnswer) -> Result<()> {
        match answer {
            CloudAnswer::Busy(_) => {}
            CloudAnswer::Listed(..) => return Err(trouble("", answer)),
            answer => self.answers.push(answer),
        }
        Ok(())
    }
}

/// A listing.
pub(super) struct Showing<'a> {
    see: &'a mut dyn FnMut(Piece, i64),
    is_asked: bool,
    shown: BTreeSet<EvidenceHash>,
    /// The answer that ended it.
    pub end: Option<CloudAnswer>,
}

impl<'a> Showing<'a> {
    pub(super) fn new(see: &'a mut dyn FnMut(Piece, i64)) -> Self {
        Self { see, is_asked: false, shown: BTreeSet::new(), end: None }
    }
}

impl Conversation for Showing<'_> {
    fn ask(&mut self) -> Result<Option<CloudQuestion>> {
        Ok((!std::mem::replace(&mut self.is_asked, true)).then_some(CloudQuestion::List))
    }

    fn hear(&mut self, answer: CloudAnswer) -> Result<()> {
        match answer {
            CloudAnswer::Listed(piece, put) if self.shown.insert(piece.hash) => (self.see)(piece, put),
            CloudAnswer::Listed(..) | CloudAnswer::Busy(_) => {}
            answer => self.end = Some(answer),
        }
        Ok(())
    }
}

/// Sending pieces.
pub(super) struct Going<'a> {
    name: &'a str,
    pieces: std::slice::Iter<'a, Piece>,
    supply: &'a mut dyn Supply,
    asked: VecDeque<Piece>,
    /// The bytes of the oldest piece that were reported as done.
    told: u64,
    /// The result for each piece.
    pub receipt: PutReceipt,
    /// The version of each sent piece in the bucket.
    pub versions: Vec<Option<StoredVersion>>,
}

impl<'a> Going<'a> {
    pub(super) fn new(name: &'a str, pieces: &'a [Piece], supply: &'a mut dyn Supply) -> Self {
        let (receipt, versions) = (PutReceipt::default(), Vec::new());
        Self { name, pieces: pieces.iter(), supply, asked: VecDeque::new(), told: 0, receipt, versions }
    }

    /// Reports progress: `done` is the total for the oldest piece.
    fn tell(&mut self, done: u64) {
        let done = done.min(self.asked.front().map_or(0, |piece| piece.size));
        if done > self.told {
            self.supply.done(done - self.told);
            self.told = done;
        }
    }
}

impl Conversation for Going<'_> {
    fn ask(&mut self) -> Result<Option<CloudQuestion>> {
        for piece in self.pieces.by_ref() {
            match self.supply.file(piece) {
                Ok(file) => {
                    self.asked.push_back(*piece);
                    return Ok(Some(CloudQuestion::Put { piece: *piece, file }));
                }
                // a piece that is missing or corrupt here does not stop the others
                Err(error) => self.receipt.refused.push((*piece, error.message)),
            }
        }
        Ok(None)
    }

    fn hear(&mut self, answer: CloudAnswer) -> Result<()> {
        if let CloudAnswer::Busy(done) = answer {
            self.tell(done);
            return Ok(());
        }
        if matches!(answer, CloudAnswer::Sent(_)) {
            self.tell(u64::MAX);
        }
        self.told = 0;
        let piece = self.asked.pop_front();
        match (piece, answer) {
            (Some(piece), CloudAnswer::Sent(version)) => {
                self.receipt.sent.push(piece);
                self.versions.push(version);
            }
            (Some(piece), CloudAnswer::There) => self.receipt.there.push(piece),
            (Some(piece), CloudAnswer::No(why) | CloudAnswer::Fail(CloudTrouble::Local, why)) => {
                self.receipt.refused.push((piece, why));
            }
            (_, answer) => return Err(trouble(self.name, answer)),
        }
        Ok(())
    }
}

/// The announced size and version of received bytes.
struct PromisedBytes {
    said: u64,
    version: Option<StoredVersion>,
}

/// Receiving pieces.
pub(super) struct Coming<'a> {
    name: &'a str,
    wanted: std::slice::Iter<'a, EvidenceHash>,
    cap: u64,
    folder: &'a Arc<Folder>,
    taker: &'a mut dyn Taker,
    asked: VecDeque<(EvidenceHash, Temp)>,
    /// The pieces that were not received.
    pub withheld: Vec<Withheld>,
    /// The pieces that were received and right, each with its version in the bucket.
    pub read: Vec<(Piece, Option<StoredVersion>)>,
    /// The pieces that were received whole but had other content.
    pub lies: Vec<EvidenceHash>,
}

impl<'a> Coming<'a> {
    pub(super) fn new(
        name: &'a str,
        wanted: &'a [EvidenceHash],
        cap: u64,
        folder: &'a Arc<Folder>,
        taker: &'a mut dyn Taker,
    ) -> Self {
        let (withheld, read, lies) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, wanted: wanted.iter(), cap, folder, taker, asked: VecDeque::new(), withheld, read, lies }
    }

    /// Offers the bytes of the file to the taker, whatever was announced. Returns the reason if they are not right.
    fn offer(
        &mut self,
        hash: EvidenceHash,
        PromisedBytes { said, version }: PromisedBytes,
        temp: &Temp,
    ) -> Result<Option<String>> {
        let mut file = temp.reader()?;
        let size = temp.size()?;
        if size > self.cap {
            return Ok(Some(format!("more came than the {} bytes that are allowed", self.cap)));
        }
        if self.taker.take(&hash, &mut (&mut file).take(self.cap))? == Offered::Right {
            self.read.push((Piece { hash, size }, version));
            return Ok(None);
        }
        self.lies.push(hash);
        let told = if said == size { String::new() } else { format!(": {said} bytes were promised and {size} came") };
        Ok(Some(format!("the object under that name has other content{told}")))
    }
}

impl Conversation for Coming<'_> {
    fn ask(&mut self) -> Result<Option<CloudQuestion>> {
        let Some(hash) = self.wanted.next() else { return Ok(None) };
        let temp = Temp::create(self.folder, 0o600)?;
        let file = temp.path();
        self.asked.push_back((*hash, temp));
        Ok(Some(CloudQuestion::Get { hash: *hash, cap: self.cap, file }))
    }

    fn hear(&mut self, answer: CloudAnswer) -> Result<()> {
        if matches!(answer, CloudAnswer::Busy(_)) {
            return Ok(());
        }
        let Some((hash, temp)) = self.asked.pop_front() else { return Err(trouble(self.name, answer)) };
        let why = match answer {
            CloudAnswer::Count(said) => self.offer(hash, PromisedBytes { said, version: None }, &temp)?,
            CloudAnswer::Stored(said, version) => {
                self.offer(hash, PromisedBytes { said, version: Some(version) }, &temp)?
            }
            CloudAnswer::Absent => Some("it has nothing of that name".to_owned()),
            CloudAnswer::No(why) => Some(why),
            answer => return Err(trouble(self.name, answer)),
        };
        self.withheld.extend(why.map(|why| Withheld { hash, why }));
        Ok(())
    }
}

/// The single piece of a probe, both sent and received.
pub(super) struct Sample {
    /// The piece that was sent.
    pub piece: Piece,
    path: PathBuf,
}

impl Sample {
    /// The piece in the file.
    pub(super) fn of(temp: &Temp) -> Result<Self> {
        let (piece, path) = (content(&mut temp.reader()?)?, temp.path());
        Ok(Self { piece, path })
    }
}

fn content(from: &mut dyn Read) -> Result<Piece> {
    let mut bytes = Vec::new();
    let read = from.take(1 << 16).read_to_end(&mut bytes);
    read.map_err(|error| Error::unread("the probe", &error))?;
    Ok(Piece { hash: EvidenceHash(Sha256::digest(&bytes).into()), size: bytes.len() as u64 })
}

impl Supply for Sample {
    fn file(&mut self, _piece: &Piece) -> Result<PathBuf> {
        Ok(self.path.clone())
    }

    fn done(&mut self, _bytes: u64) {}
}

impl Taker for Sample {
    fn take(&mut self, _hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        Ok(if content(bytes)? == self.piece { Offered::Right } else { Offered::Lie })
    }
}
