//! Object storage, through a separate program, `yatsu-hook-cloud`, because this one has no network code. The keys are the
//! same as in a shared directory, `<prefix>/<2 hex>/<64 hex>`. Bytes go through files: the other program reads sent pieces
//! from the cache, and writes received ones into a file that this program made. The taker hashes them.

mod program;
mod receipts;
mod session;
mod transfer;
pub mod url;
pub mod wire;

pub use program::CloudProgram;
pub use session::CloudPipes;
pub use url::BucketUrl;

use super::{Expired, Held, Listed, Month, Piece, PutReceipt, Remote, Supply, Taker, Withheld};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::store::Store;
use crate::store::atomic::Temp;
use receipts::BucketReceipts;
use session::{CloudSession, UPDATE_BOTH};
use std::collections::BTreeSet;
use std::time::Duration;
use transfer::{Coming, Each, Going, Showing};
use wire::{CloudAnswer, CloudQuestion, CloudTrouble, StoredVersion};

/// How long the program may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts the other program.
type Start = Box<dyn Fn() -> Result<CloudPipes> + Send>;

/// A bucket as a remote.
pub struct Bucket {
    url: BucketUrl,
    start: Start,
    patience: Duration,
    /// The store in which received bytes are first written.
    store: Store,
    session: Option<CloudSession>,
    /// The pieces that the bucket acknowledged or that were read back, in this run or before.
    receipts: Option<BucketReceipts>,
    /// The pieces that were read in this run and had other content than their name says.
    lies: BTreeSet<EvidenceHash>,
}

impl Bucket {
    /// The bucket at `url`. Received bytes wait in the cache's directory of `store`, in a file without a piece's name, until
    /// they are taken.
    #[must_use]
    pub fn new(url: BucketUrl, program: CloudProgram, store: &Store) -> Self {
        Self::through(url, store, Box::new(move || program.start()))
    }

    /// The bucket through any pipes.
    fn through(url: BucketUrl, store: &Store, start: Start) -> Self {
        let store = store.clone();
        Self { url, start, patience: PATIENCE, store, session: None, receipts: None, lies: BTreeSet::new() }
    }

    /// Runs a conversation, in the open session if there is one. After an error the session is not used again.
    fn converse(&mut self, with: &mut dyn session::Conversation) -> Result<()> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => {
                let mut session = CloudSession::begin((self.start)()?, self.patience)?;
                let mut told = Each::new(vec![CloudQuestion::Probe(self.url.clone())]);
                session.converse(&mut told)?;
                told.answers.pop().map_or(Ok(()), |answer| self.expect_done(answer))?;
                session
            }
        };
        session.converse(with)?;
        self.session = Some(session);
        Ok(())
    }

    fn each(&mut self, questions: Vec<CloudQuestion>) -> Result<Vec<CloudAnswer>> {
        let mut each = Each::new(questions);
        self.converse(&mut each)?;
        Ok(each.answers)
    }

    fn expect_done(&self, answer: CloudAnswer) -> Result<()> {
        match answer {
            CloudAnswer::Done | CloudAnswer::Absent => Ok(()),
            answer => Err(trouble(&self.name(), answer)),
        }
    }

    fn held(&mut self, hash: EvidenceHash, answer: CloudAnswer) -> Result<Held> {
        let (size, version) = match answer {
            CloudAnswer::Absent => return Ok(Held::No),
            CloudAnswer::Count(size) => (size, None),
            CloudAnswer::Stored(size, version) => (size, Some(version)),
            answer => return Err(trouble(&self.name(), answer)),
        };
        let is_proven = self.receipts().prove(&Piece { hash, size }, version);
        Ok(match is_proven {
            true => Held::Proven { size },
            false => Held::Said { by: self.name(), size, is_hearsay: false },
        })
    }

    /// The receipts of this machine, read at first use.
    fn receipts(&mut self) -> &mut BucketReceipts {
        self.receipts.get_or_insert_with(|| BucketReceipts::of(&self.store, &self.url.to_string()))
    }

    /// Notes pieces for this run and later ones. If the memo cannot be written, the pieces are only read once more.
    fn note(&mut self, pieces: Vec<(Piece, Option<StoredVersion>)>) {
        let (store, url) = (self.store.clone(), self.url.to_string());
        let receipts = self.receipts();
        pieces.into_iter().for_each(|(piece, version)| receipts.add(piece, version));
        let _ = receipts.remember(&store, &url);
    }

    /// Forgets pieces that are gone, or about to go.
    fn forget(&mut self, gone: &BTreeSet<EvidenceHash>) {
        let (store, url) = (self.store.clone(), self.url.to_string());
        let receipts = self.receipts();
        receipts.forget(&|hash| gone.contains(hash));
        let _ = receipts.remember(&store, &url);
    }

    /// Every piece with the time when it was put, or why not all can be seen.
    fn show(&mut self, see: &mut dyn FnMut(Piece, i64)) -> Result<Listed> {
        let mut showing = Showing::new(see);
        self.converse(&mut showing)?;
        match showing.end {
            Some(CloudAnswer::Count(_)) => Ok(Listed::Whole),
            Some(CloudAnswer::Fail(CloudTrouble::Denied, text)) => {
                Ok(Listed::Partly(vec![format!("{} does not allow listing: {text}", self.name())]))
            }
            answer => Err(trouble(&self.name(), answer.unwrap_or(CloudAnswer::Done))),
        }
    }

    /// Deletes objects of these pieces that are known to have wrong content. Otherwise the bucket would keep its content and
    /// answer the put with "there". An object that may not be deleted stays and counts as there.
    fn make_room(&mut self, pieces: &[Piece]) -> Result<()> {
        let lies: Vec<EvidenceHash> =
            pieces.iter().map(|piece| piece.hash).filter(|hash| self.lies.remove(hash)).collect();
        self.each(lies.into_iter().map(|hash| CloudQuestion::Delete { hash, put: None }).collect()).map(drop)
    }

    /// A temporary file in the cache's directory.
    fn scratch(&self) -> Result<Temp> {
        let folder = self.store.evidence().own(true)?;
        Temp::create(&folder.ok_or_else(|| Error::fault("the evidence directory cannot be made"))?, 0o600)
    }
}

impl Remote for Bucket {
    fn name(&self) -> String {
        self.url.to_string()
    }

    fn probe(&mut self) -> Result<()> {
        let mut odd = [0; 16];
        let filled = rustix::rand::getrandom(&mut odd, rustix::rand::GetRandomFlags::empty());
        filled.map_err(Error::no_random)?;
        let mut temp = self.scratch()?;
        temp.append(format!("yatsu-hook: may this bucket keep evidence? {odd:02x?}\n").as_bytes())?;
        let mut sample = transfer::Sample::of(&temp)?;
        let (piece, name) = (sample.piece, self.name());
        let step = |what: &str| {
            Error::unchecked(format!("{name} {what}"))
                .hint("the credentials need the right to put, get, list and delete there; what else is in between?")
        };
        let put = self.put(&[piece], &mut sample).map_err(|error| error.context("nothing can be put there"))?;
        if let Some((_, why)) = put.refused.first() {
            return Err(step(&format!("takes nothing: {why}")));
        }
        let held = self.has(&[piece.hash]).map_err(|error| error.context("what was put there cannot be asked for"))?;
        let withheld = self.get(&[piece.hash], piece.size, &mut sample);
        let withheld = withheld.map_err(|error| error.context("what was put there cannot be read"))?;
        self.delete(&[piece.hash], "it was a question").map_err(|error| {
            error.context("what was put there cannot be deleted").hint(format!("delete {} yourself", piece.hash))
        })?;
        match (&held[..], &withheld[..]) {
            ([Held::Proven { .. }], []) => Ok(()),
            _ => Err(step("does not give back what was put there")),
        }
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        self.show(&mut |piece, _| see(piece))
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let answers = self.each(hashes.iter().map(|hash| CloudQuestion::Has(*hash)).collect())?;
        let mut held = Vec::new();
        for (hash, answer) in hashes.iter().zip(answers) {
            held.push(self.held(*hash, answer)?);
        }
        Ok(held)
    }

    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        let name = self.name();
        let folder = self.store.evidence().own(true)?;
        let folder = folder.ok_or_else(|| Error::fault("the evidence directory cannot be made"))?;
        let mut coming = Coming::new(&name, wanted, cap, &folder, taker);
        let end = self.converse(&mut coming);
        let (withheld, read, lies) = (coming.withheld, coming.read, coming.lies);
        self.note(read);
        self.forget(&lies.iter().copied().collect());
        self.lies.extend(lies);
        end.map(|()| withheld)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        self.make_room(pieces)?;
        let name = self.name();
        let mut going = Going::new(&name, pieces, supply);
        let end = self.converse(&mut going);
        let (receipt, versions) = (going.receipt, going.versions);
        self.note(receipt.sent.iter().copied().zip(versions).collect());
        end.map(|()| receipt)
    }

    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt> {
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let (held, mut receipt) = (self.has(&hashes)?, PutReceipt::default());
        for (piece, held) in pieces.iter().zip(held) {
            let is_there = match held {
                Held::Said { size, .. } | Held::Proven { size } => size == piece.size,
                Held::No => false,
            };
            // a known lie will be replaced, so it is sent
            let is_kept = is_there && !self.lies.contains(&piece.hash);
            if is_kept { receipt.there.push(*piece) } else { receipt.sent.push(*piece) }
        }
        Ok(receipt)
    }

    fn delete(&mut self, hashes: &[EvidenceHash], _reason: &str) -> Result<()> {
        self.forget(&hashes.iter().copied().collect());
        let questions = hashes.iter().map(|hash| CloudQuestion::Delete { hash: *hash, put: None });
        self.each(questions.collect())?.into_iter().try_for_each(|answer| self.expect_done(answer))
    }

    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        let end = before.begins().map_or(i64::MIN, |begin| begin.millis.div_euclid(1000));
        let (mut expired, mut old) = (Expired::default(), Vec::new());
        let listed = self.show(&mut |piece, put| {
            if put < end && is_needed(&piece.hash) {
                expired.kept += 1;
            } else if put < end {
                old.push((piece, put));
            }
        })?;
        if let Listed::Partly(why) = listed {
            return Err(Error::unchecked(format!("nothing was deleted: {}", why.join("; ")))
                .hint("give the right to list it, or let a lifecycle rule of the bucket take away what is old"));
        }
        if dry_run {
            expired.gone = old.into_iter().map(|(piece, _)| piece).collect();
            return Ok(expired);
        }
        // with its time, so that a piece that was put again meanwhile stays
        let questions = old.iter().map(|(piece, put)| CloudQuestion::Delete { hash: piece.hash, put: Some(*put) });
        let answers = self.each(questions.collect())?;
        for ((piece, _), answer) in old.into_iter().zip(answers) {
            if matches!(answer, CloudAnswer::No(_)) {
                expired.kept += 1;
                continue;
            }
            self.expect_done(answer)?;
            expired.gone.push(piece);
        }
        self.forget(&expired.gone.iter().map(|piece| piece.hash).collect());
        Ok(expired)
    }
}

/// The error for an answer that is a failure.
fn trouble(name: &str, answer: CloudAnswer) -> Error {
    let retry = "run the same command again: what was done stays done";
    match answer {
        CloudAnswer::Retry(text) => Error::unchecked(format!("{name} cannot be reached: {text}")).hint(retry),
        CloudAnswer::Fail(CloudTrouble::Denied, text) => Error::unchecked(format!("{name} does not let us: {text}"))
            .hint("look at the credentials in the environment, and at what they give the right to"),
        CloudAnswer::Fail(CloudTrouble::Config, text) => Error::unchecked(format!("{name} cannot be asked: {text}"))
            .hint("look at the name of the bucket, and at the AWS_…, GOOGLE_… or AZURE_… variables of the environment"),
        CloudAnswer::Fail(CloudTrouble::Local, text) => Error::unchecked(format!("{name}: {text}")).hint(retry),
        CloudAnswer::Fail(CloudTrouble::Store, text) => {
            Error::unchecked(format!("{name} answers what makes no sense: {text}"))
                .hint("look whether object storage answers there, and no proxy or sign-in page does")
        }
        CloudAnswer::Fail(CloudTrouble::Protocol, text) => {
            Error::unchecked(format!("yatsu-hook-cloud does not understand the request: {text}")).hint(UPDATE_BOTH)
        }
        answer => Error::unchecked(format!("yatsu-hook-cloud gave an answer to another question (`{answer}`)"))
            .hint(UPDATE_BOTH),
    }
}

#[cfg(test)]
mod tests;
