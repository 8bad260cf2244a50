//! Asks `ssh-keygen` about signatures, by the keys of a base. An answer depends on the signature, the keys and the
//! revocations alone, so it is remembered, and a second look starts no program.

use crate::app::judge::remember;
use crate::app::memo;
use crate::error::{Error, Result};
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::signatures_memo::{SignaturesFile, TestimonyOf, encode};
use crate::features::trust::judge::testimony::{Signer, Testimony};
use crate::features::trust::model::keys::{Admission, NAMESPACE, Persons, SshSignature};
use crate::model::ledger::{LineHash, Signature, Timestamp, signed_bytes};
use crate::names;
use crate::repo::program::ssh_keygen::{KeyFiles, SshKeygen};
use crate::repo::{FETCH_ALL, Repo};
use crate::store::memo::MemoKind;
use crate::store::private_dir::PrivateDir;
use crate::text::ndjson;
use crate::tree::Kind;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::{HashMap, HashSet};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// After so many new signatures their answers are stored, so that a run that is cut off has not worked for nothing.
const PART: usize = 256;
/// Most remembered signatures; beyond them, older ones are verified again.
const MOST_SIGNATURES: usize = 1 << 14;
/// Most commits that are searched for the former place of a line.
const MOST_COMMITS: usize = 10_000;
/// Most questions about one signature. Each costs a run of `ssh-keygen`.
const MOST_ADMISSIONS: usize = 16;

/// One signature line with its bytes.
#[derive(Clone, Copy)]
pub(crate) struct SignedLine<'l> {
    pub(crate) signature: &'l Signature,
    /// The bytes of the line.
    pub(crate) line: &'l Rc<[u8]>,
}

/// Answers questions about signatures by the keys of one base.
pub(crate) struct Verifier<'r> {
    repo: &'r Repo,
    pub(crate) base: TrustBase,
    /// The ids of the base's keys and revocations.
    ids: [[u8; 32]; 2],
    /// The persons whom the base's keys name; made at the first signature that holds.
    pub(super) persons: OnceCell<Persons>,
    known: SignaturesFile,
    learned: RefCell<HashMap<TestimonyOf, Testimony>>,
    /// The hashes of the lines by their address. The lines are kept, so that no other line gets the address of one.
    hashes: RefCell<HashMap<*const u8, HashedLine>>,
    /// Whether keys of added signatures are valid at the time of this run; never kept longer.
    valid_now: RefCell<HashMap<TestimonyOf, bool>>,
    desk: OnceCell<KeygenDesk>,
    /// The commit with the history of the judged state.
    tip: Option<Oid>,
    /// The lines that each directory held, for lines that may have moved.
    former: RefCell<HashMap<RepoPath, FormerLines>>,
}

/// The lines that the ledgers in one directory held, as far as their history was searched.
#[derive(Default)]
struct FormerLines {
    hashes: HashSet<LineHash>,
    /// The contents that were read. A ledger that only grows would otherwise be read again at each commit and its parents.
    read: HashSet<Oid>,
    /// The commits to search, oldest first.
    left: Vec<Oid>,
    /// Why the history does not say that a line was never there.
    cut_off: Option<Error>,
}

/// A line and its hash.
type HashedLine = (Rc<[u8]>, LineHash);

/// The program and its files.
struct KeygenDesk {
    program: SshKeygen,
    dir: PrivateDir,
    revoked: Option<PathBuf>,
}

/// A signature with its files: its own, and one for each way in which the judges may admit its key.
struct AskedSignature<'d> {
    desk: &'d KeygenDesk,
    signature: PathBuf,
    admissions: Vec<(PathBuf, Admission)>,
}

impl<'r> Verifier<'r> {
    /// Starts without any answer but the remembered ones. `tip` is the commit with the history of the judged state.
    pub(crate) fn new(repo: &'r Repo, base: TrustBase, tip: Option<Oid>) -> Self {
        let known = SignaturesFile::at(memo::path(MemoKind::Signatures, &repo.common_dir));
        let ids = [base.judges.id(), base.revoked.id()];
        Self {
            repo,
            base,
            ids,
            persons: OnceCell::new(),
            known,
            learned: RefCell::default(),
            hashes: RefCell::default(),
            valid_now: RefCell::default(),
            desk: OnceCell::new(),
            tip,
            former: RefCell::default(),
        }
    }

    /// Whether a ledger in `home` held the line with this hash at the tip or at a commit behind the tip. A signature in a
    /// ledger that its line moved to holds only then.
    ///
    /// # Errors
    /// Unchecked if the history is cut off before an answer; otherwise if it cannot be read.
    pub(crate) fn was_in(&self, home: &RepoPath, line: &LineHash) -> Result<bool> {
        let mut former = self.former.borrow_mut();
        if !former.contains_key(home) {
            former.insert(home.clone(), self.former_lines(home)?);
        }
        let Some(known) = former.get_mut(home) else { return Ok(false) };
        while !known.hashes.contains(line) {
            let Some(commit) = known.left.last().copied() else { return known.cut_off.clone().map_or(Ok(false), Err) };
            self.search(home, &commit, known)?;
            // what could not be read stays to be asked again: no answer may rest on it
            known.left.pop();
        }
        Ok(true)
    }

    /// The search at its start: every commit that changed a file of the ledger in `home`.
    fn former_lines(&self, home: &RepoPath) -> Result<FormerLines> {
        let Some(tip) = self.tip else { return Ok(FormerLines::default()) };
        let listed = self.repo.ledger_log(&tip, home, MOST_COMMITS)?;
        let why = match &listed {
            None => Some(format!(
                "more than {MOST_COMMITS} commits changed the ledger in {home}, which a signed line may come from"
            )),
            Some(_) => self.repo.shallow.then(|| format!("the history that shows a signed line in {home} is not here")),
        };
        let hint = |error: Error| if self.repo.shallow { error.hint(FETCH_ALL) } else { error };
        let left = listed.unwrap_or_default().into_iter().rev().collect();
        Ok(FormerLines { left, cut_off: why.map(Error::unchecked).map(hint), ..FormerLines::default() })
    }

    /// Adds the lines at one commit. A move takes lines away, so the parent of the move holds them.
    fn search(&self, home: &RepoPath, commit: &Oid, known: &mut FormerLines) -> Result<()> {
        for at in self.repo.parents(commit)?.into_iter().chain([*commit]) {
            let view = self.repo.commit_view(&at)?;
            for (name, entry) in view.children(home)? {
                let is_read = matches!(entry.kind, Kind::File | Kind::Exec) && names::is_ledger(&name);
                let Some(id) = entry.id.filter(|id| is_read && !known.read.contains(id)) else { continue };
                let bytes = view.read_of(&home.child(&name), &entry)?.unwrap_or_default();
                known.hashes.extend(ndjson::filled(&bytes).map(LineHash::of_object));
                known.read.insert(id);
            }
        }
        Ok(())
    }

    /// What is known about each of `lines`, in their order. A line with a fault is broken. No program starts where no key
    /// counts.
    ///
    /// # Errors
    /// Unchecked if `ssh-keygen` is needed and missing.
    pub(crate) fn testimonies(&self, lines: &[SignedLine<'_>]) -> Result<Vec<Testimony>> {
        self.answers(lines, |line| fault(line).or_else(|| self.nobody(line)))
    }

    /// The same about lines that a change adds. Where no key counts it asks, too, whether some key made the signature: a forged
    /// one would otherwise enter as one of an unknown key, with a warning alone.
    ///
    /// # Errors
    /// As [`Self::testimonies`].
    pub(super) fn testimonies_of_added(&self, lines: &[SignedLine<'_>]) -> Result<Vec<Testimony>> {
        self.answers(lines, fault)
    }

    /// The answers. `at_once` gives those that need no program.
    fn answers(
        &self,
        lines: &[SignedLine<'_>],
        at_once: impl Fn(SignedLine<'_>) -> Option<Testimony>,
    ) -> Result<Vec<Testimony>> {
        let mut found = Vec::with_capacity(lines.len());
        let (mut new, mut failed) = (0, None);
        for line in lines {
            let of = self.of(line);
            if let Some(known) = self.remembered(&of).or_else(|| at_once(*line)) {
                found.push(known);
                continue;
            }
            match self.learn(*line, of) {
                Ok(answer) => found.push(answer),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
            new += 1;
            if new % PART == 0 {
                self.store();
            }
        }
        if new % PART > 0 {
            self.store();
        }
        failed.map_or(Ok(found), Err)
    }

    /// Stores the answers of this run, and the older ones if they are not too many. A signature in quarantine may never
    /// arrive.
    fn store(&self) {
        let learned = self.learned.borrow();
        if learned.is_empty() || self.repo.is_quarantined() {
            return;
        }
        let mut all: Vec<_> = learned.iter().collect();
        all.extend(self.known.all().iter().filter(|(of, _)| !learned.contains_key(of)));
        all.truncate(MOST_SIGNATURES);
        all.sort_by_key(|(of, _)| *of);
        encode(&all).iter().for_each(|bytes| remember::replace(self.repo, MemoKind::Signatures, bytes));
    }

    /// Whether a key of the base that made the signature is also valid at `now`.
    ///
    /// # Errors
    /// As [`Self::testimonies`].
    pub(crate) fn holds_at(&self, line: SignedLine<'_>, signer: &Signer, now: Timestamp) -> Result<bool> {
        let Some(message) = signed_bytes(line.line) else { return Ok(false) };
        let of = self.of(&line);
        if let Some(known) = self.valid_now.borrow().get(&of) {
            return Ok(*known);
        }
        let Some(time) = moment(now) else { return Ok(false) };
        let now = self.asked(line.signature)?.principals(Some(&time), &message)?;
        let found = signer.principals.iter().any(|name| now.contains(name));
        self.valid_now.borrow_mut().insert(of, found);
        Ok(found)
    }

    /// Whether some key, known or not, made the signature.
    ///
    /// # Errors
    /// As [`Self::testimonies`].
    pub(crate) fn is_made(&self, signature: &Signature, line: &[u8]) -> Result<bool> {
        let Some(message) = signed_bytes(line) else { return Ok(false) };
        self.asked(signature)?.is_made(&message)
    }

    /// The answer of an earlier question. Only `ssh-keygen` gave it: what needs no program is not remembered.
    fn remembered(&self, of: &TestimonyOf) -> Option<Testimony> {
        self.learned.borrow().get(of).or_else(|| self.known.get(of)).cloned()
    }

    fn of(&self, line: &SignedLine<'_>) -> TestimonyOf {
        let [judges, revoked] = self.ids;
        let mut hashes = self.hashes.borrow_mut();
        // a scenario after the other asks about the signatures of one ledger
        let (_, hash) =
            hashes.entry(line.line.as_ptr()).or_insert_with(|| (Rc::clone(line.line), LineHash::of_object(line.line)));
        TestimonyOf { line: hash.0, judges, revoked }
    }

    /// The answer where no key counts.
    fn nobody(&self, SignedLine { signature, .. }: SignedLine<'_>) -> Option<Testimony> {
        let why = self.why_nobody()?;
        Some(Testimony::Unknown(SshSignature::parse(&signature.sig)?.key, why.to_owned()))
    }

    /// Why no key counts, as the end of "is by KEY,".
    fn why_nobody(&self) -> Option<&'static str> {
        if self.base.judges.is_empty() {
            Some("and the base knows no keys")
        } else if self.base.revoked.has_all() {
            Some("and no key counts while a line of yatsu.trust.revoked cannot be read")
        } else {
            None
        }
    }

    /// Asks the program, and remembers the answer.
    fn learn(&self, line: SignedLine<'_>, of: TestimonyOf) -> Result<Testimony> {
        let found = self.ask(line)?;
        self.learned.borrow_mut().insert(of, found.clone());
        Ok(found)
    }

    /// Asks the program: who made it, then whether they made it of these bytes and are not revoked.
    fn ask(&self, SignedLine { signature, line }: SignedLine<'_>) -> Result<Testimony> {
        let parsed = signature.ts.zip(signed_bytes(line)).zip(SshSignature::parse(&signature.sig));
        let Some(((ts, message), SshSignature { key, .. })) = parsed else {
            return Ok(Testimony::Broken("has a fault".to_owned()));
        };
        let (asked, time) = (self.asked(signature)?, moment(ts));
        let principals = asked.principals(time.as_deref(), &message)?;
        if !principals.is_empty() {
            return Ok(Testimony::Known(Rc::new(Signer { principals, key })));
        }
        if !asked.is_made(&message)? {
            return Ok(Testimony::Broken("was made of other bytes, or by no key".to_owned()));
        }
        if let Some(why) = self.why_nobody() {
            return Ok(Testimony::Unknown(key, why.to_owned()));
        }
        let is_revoked =
            asked.desk.revoked.is_some() && !asked.principals_revoked_too(time.as_deref(), &message)?.is_empty();
        let why = if is_revoked {
            "and the key is revoked"
        } else if self.base.judges.has(&key) {
            "and the key was not valid at that time, or not for this"
        } else {
            "and the base does not know the key"
        };
        Ok(Testimony::Unknown(key, why.to_owned()))
    }

    /// Writes the files for questions about a signature.
    fn asked(&self, signature: &Signature) -> Result<AskedSignature<'_>> {
        let desk = self.desk()?;
        let write = |text: &str, end: &str| {
            desk.dir.write_again(&format!("{}{end}", LineHash::of(text.as_bytes())), text.as_bytes())
        };
        let parsed = SshSignature::parse(&signature.sig);
        let admissions = parsed.iter().flat_map(|parsed| self.base.judges.admissions(parsed)).collect::<Vec<_>>();
        if admissions.len() > MOST_ADMISSIONS {
            let key = parsed.map(|parsed| parsed.key.fingerprint()).unwrap_or_default();
            let message = format!("the base admits {key} under more than {MOST_ADMISSIONS} different options");
            return Err(Error::unchecked(message).hint("drop lines of yatsu.trust.signers that name this key"));
        }
        let with_file = |one: Admission| -> Result<(PathBuf, Admission)> { Ok((write(&one.file, ".judge")?, one)) };
        let admissions = admissions.into_iter().map(with_file).collect::<Result<_>>()?;
        Ok(AskedSignature { desk, signature: write(&SshSignature::armoured(&signature.sig), ".sig")?, admissions })
    }

    fn desk(&self) -> Result<&KeygenDesk> {
        if let Some(desk) = self.desk.get() {
            return Ok(desk);
        }
        let program = SshKeygen::locate(self.repo)?;
        let dir = PrivateDir::make(&self.repo.temporary_dir())?;
        let revoked = self.base.revoked.content().map(|bytes| dir.write("revoked", &bytes)).transpose()?;
        Ok(self.desk.get_or_init(|| KeygenDesk { program, dir, revoked }))
    }
}

impl AskedSignature<'_> {
    /// The principals who made it of `message`, with keys that were valid at `time` and are not revoked.
    fn principals(&self, time: Option<&str>, message: &[u8]) -> Result<Vec<String>> {
        self.principals_by(self.desk.revoked.as_deref(), time, message)
    }

    /// The same with revoked keys.
    fn principals_revoked_too(&self, time: Option<&str>, message: &[u8]) -> Result<Vec<String>> {
        self.principals_by(None, time, message)
    }

    fn principals_by(&self, revoked: Option<&Path>, time: Option<&str>, message: &[u8]) -> Result<Vec<String>> {
        let Some(time) = time else { return Ok(Vec::new()) };
        let program = &self.desk.program;
        let mut principals = BTreeSet::new();
        for (judges, admission) in &self.admissions {
            let files = KeyFiles { judges, revoked, signature: &self.signature };
            if program.verify(&files, &admission.asked, time, NAMESPACE, message)? {
                principals.extend(admission.principals.iter().cloned());
            }
        }
        Ok(principals.into_iter().collect())
    }

    /// Whether some key, known or not, made it of `message`.
    fn is_made(&self, message: &[u8]) -> Result<bool> {
        self.desk.program.is_made_by_a_key(&self.signature, NAMESPACE, message)
    }
}

/// The fault of a signature that shows without a program.
fn fault(SignedLine { signature, .. }: SignedLine<'_>) -> Option<Testimony> {
    if let Some(fault) = signature.wrong.first() {
        return Some(Testimony::Broken(format!("has a fault: {fault}")));
    }
    let Some(blob) = SshSignature::parse(&signature.sig) else {
        return Some(Testimony::Broken("is not a signature by ssh-keygen".to_owned()));
    };
    let is_other = blob.namespace != NAMESPACE;
    let namespace = || crate::text::escape::echo(&blob.namespace).into_owned();
    is_other.then(|| Testimony::Broken(format!("is for `{}` and not for {NAMESPACE}", namespace())))
}

/// A time as `ssh-keygen` reads it, for example `20260301100000`; its clock has UTC. `None` for a time before 1970, which it
/// takes for a wrong option: no key was valid then.
fn moment(ts: Timestamp) -> Option<String> {
    let digits = || ts.to_string().bytes().filter(u8::is_ascii_digit).take(14).map(char::from).collect();
    (ts.millis >= 1000).then(digits)
}
