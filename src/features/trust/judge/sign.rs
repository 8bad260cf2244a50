//! `sign`: the owner of a key vouches for lines of ledgers. A [`SignRequest`] in, the signatures out; prints nothing. The key
//! signs before the lock is taken, because its owner may have to type a password.

use crate::app::judge::snapshot::TrustFrom;
use crate::app::record::transaction::Transaction;
use crate::app::site::line_files::NewLineFiles;
use crate::app::site::{self, Site, TypedScenario};
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::held::signed_line;
use crate::features::trust::judge::holding::{FiledSignature, signatures};
use crate::features::trust::judge::key::{HeldKey, MadeSignature, SigningKey};
use crate::features::trust::judge::testimony::Testimony;
use crate::features::trust::judge::verify::{SignedLine, Verifier};
use crate::features::trust::model::keys::{PublicKey, SshSignature};
use crate::features::trust::model::signed::{SignatureReceipt, SigningReceipt};
use crate::model::config::Config;
use crate::model::ids::same_name;
use crate::model::ledger::{Event, Line, LineHash, MAX_SIGNED_LINES, Signature, Timestamp, encode_signature};
use crate::model::node::Node;
use crate::repo::Repo;
use crate::store::Store;
use crate::store::ledger::next_ts;
use std::collections::{BTreeSet, HashMap};

/// What is to be signed.
#[derive(Clone, Debug)]
pub(crate) struct SignRequest {
    /// Nodes or scenarios, each with a time: every line of that time is signed, or without a time the latest effective
    /// readings. None means the node of the current directory, or the one that the branch touched.
    pub(crate) wanted: Vec<(TypedScenario, Option<Timestamp>)>,
    pub(crate) key: SigningKey,
    pub(crate) now: Timestamp,
    /// Whether the key's owner can be asked for a password.
    pub(crate) terminal: bool,
}

/// The lines of one node that are to be signed.
struct NodeLines<'n> {
    node: &'n Node,
    lines: Vec<&'n Line>,
}

/// Signs the wanted lines, one signature for each ledger. Lines that the key signed already are left out.
///
/// # Errors
/// Unchecked if the key cannot sign, or if its signature does not verify; otherwise as [`crate::app::record::eval::eval`].
pub(crate) fn sign(repo: &Repo, site: &dyn Site, store: &Store, request: &SignRequest) -> Result<SigningReceipt> {
    site::work_dir(site)?;
    let nodes = site.reread()?;
    let config = site.config()?;
    let pen = SigningDesk::new(repo, &config, request)?;
    let mut signed = Vec::new();
    for wanted in wanted(site, &nodes, request)? {
        if std::str::from_utf8(wanted.node.dir.as_bstr()).is_err() {
            return Err(Error::refused(format!("{} has a name that a signature cannot hold", wanted.node.dir))
                .because(Refusal::Invalid)
                .hint("rename the directory: names in a ledger are UTF-8"));
        }
        for part in wanted.lines.chunks(MAX_SIGNED_LINES) {
            signed.extend(pen.sign(wanted.node, part)?.map(|signature| (wanted.node, signature)));
        }
    }
    let transaction = Transaction::begin(site, store)?;
    let files = NewLineFiles::of(site, &config, &nodes, request.now)?;
    let outcome = if signed.is_empty() { "already-signed" } else { "signed" };
    let signatures = signed.into_iter().map(|(node, signature)| pen.file(&transaction, &files, node, signature));
    Ok(SigningReceipt { outcome, signatures: signatures.collect::<Result<_>>()? })
}

/// The lines to sign, by node.
fn wanted<'n>(site: &dyn Site, nodes: &'n [Node], request: &SignRequest) -> Result<Vec<NodeLines<'n>>> {
    let here = [(TypedScenario::default(), None)];
    let typed = if request.wanted.is_empty() { &here[..] } else { &request.wanted };
    let mut found: Vec<NodeLines<'n>> = Vec::new();
    for (one, ts) in typed {
        let TypedScenario { node, scenario } = one.clone().apart(site)?;
        let node = site::find_node(site, nodes, node.as_deref())?;
        for ledger in &node.ledgers {
            site::refuse_unsound(site, ledger)?;
        }
        let lines = lines(node, scenario.as_deref(), *ts);
        if lines.is_empty() {
            let what = ts.map_or("no reading counts".to_owned(), |ts| format!("no line has the time {ts}"));
            return Err(Error::refused(format!("{} has nothing to sign: {what}", node.id))
                .because(Refusal::NothingLeft)
                .argv(["show", &node.argument()])
                .hint("the readings that count: yatsu-hook show NODE"));
        }
        match found.iter_mut().find(|known| known.node.dir == node.dir) {
            Some(known) => known.lines.extend(lines),
            None => found.push(NodeLines { node, lines }),
        }
    }
    Ok(found)
}

/// The latest effective reading of each scenario, or every line of the time `ts`; of one scenario if it is named.
fn lines<'n>(node: &'n Node, scenario: Option<&str>, ts: Option<Timestamp>) -> Vec<&'n Line> {
    let is_wanted = |name: Option<&str>| scenario.is_none_or(|wanted| name.is_some_and(|name| same_name(name, wanted)));
    let all = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let all = all.filter(|line| !matches!(line.event, Event::Signature(_)) && is_wanted(line.event.scenario()));
    if let Some(ts) = ts {
        return all.filter(|line| line.event.ts() == Some(ts)).collect();
    }
    let effective = Effective::of(node);
    let is_latest = |line: &&Line| {
        let reading = line.event.reading();
        reading.is_some_and(|reading| effective.latest(&reading.scenario).is_some_and(|latest| latest == reading))
    };
    all.filter(is_latest).collect()
}

/// The key and the names that signatures carry.
struct SigningDesk<'a> {
    key: HeldKey,
    verifier: Verifier<'a>,
    project: Option<String>,
    now: Timestamp,
}

impl<'a> SigningDesk<'a> {
    fn new(repo: &'a Repo, config: &Config, request: &SignRequest) -> Result<Self> {
        let key = HeldKey::new(repo, &request.key, request.terminal)?;
        let base = TrustBase::load(repo, TrustFrom::Main, config)?;
        // before the first keys are on the main branch, the branch that brings them says the name of the project
        let settings = if base.settings.signers.is_some() { &base.settings } else { config.of() };
        let project = settings.project.clone();
        Ok(Self { key, verifier: Verifier::new(repo, base, repo.head()?), project, now: request.now })
    }

    /// A signature of those of `lines` that the key did not sign yet; `None` if it signed all.
    fn sign(&self, node: &Node, lines: &[&Line]) -> Result<Option<Signature>> {
        let mut known = self.key.public.clone();
        loop {
            let signed = known.as_ref().map(|key| self.signed_by(node, lines, key)).transpose()?.unwrap_or_default();
            let hashes =
                lines.iter().map(|line| LineHash::of_object(&line.bytes)).filter(|hash| !signed.contains(hash));
            let hashes: BTreeSet<LineHash> = hashes.collect();
            if hashes.is_empty() {
                return Ok(None);
            }
            let ts = next_ts(&node.ledgers, self.now);
            // a signature that is older than its line does not hold
            if let Some(last) = lines.iter().filter_map(|line| line.event.ts()).max() {
                site::refuse_far_ahead("a line to sign", last, self.now)?;
            }
            let mut signature = Signature {
                project: self.project.clone(),
                home: Some(node.dir.clone()),
                lines: hashes.iter().copied().collect(),
                ts: Some(ts),
                ..Signature::default()
            };
            let MadeSignature { sig, key } = self.key.sign((signature.unsigned() + "\n").into_bytes())?;
            signature.sig = sig;
            let is_repeated = self.signed_by(node, lines, &key)?.iter().any(|hash| hashes.contains(hash));
            if !is_repeated {
                return Ok(Some(signature));
            }
            // the key is known only now: sign what is left
            known = Some(key);
        }
    }

    /// Those of `lines` that `key` signed for this ledger and this project. A signature that does not hold counts only if the
    /// base has no line about its key: signed again it would not hold either.
    fn signed_by(&self, node: &Node, lines: &[&Line], key: &PublicKey) -> Result<BTreeSet<LineHash>> {
        let is_own = |one: &FiledSignature<'_>| {
            one.signature.project == self.project
                && one.signature.home.as_ref() == Some(&node.dir)
                && SshSignature::parse(&one.signature.sig).is_some_and(|made| made.key == *key)
        };
        let own: Vec<FiledSignature<'_>> = signatures(node).filter(is_own).collect();
        let asked: Vec<SignedLine<'_>> = own.iter().map(signed_line).collect();
        let by_hash: HashMap<LineHash, &Line> =
            lines.iter().map(|line| (LineHash::of_object(&line.bytes), *line)).collect();
        let mut signed = BTreeSet::new();
        for (one, testimony) in own.iter().zip(self.verifier.testimonies(&asked)?) {
            let counts = match testimony {
                Testimony::Known(_) => true,
                Testimony::Unknown(key, _) => {
                    !self.verifier.base.judges.has(&key) && self.verifier.is_made(one.signature, &one.line.bytes)?
                }
                Testimony::Broken(_) => false,
            };
            let is_of_time =
                |hash: &&LineHash| by_hash.get(*hash).is_some_and(|line| line.event.ts() <= one.signature.ts);
            signed.extend(one.signature.lines.iter().filter(|_| counts).filter(is_of_time).copied());
        }
        Ok(signed)
    }

    /// Verifies a signature and appends it.
    fn file(
        &self,
        transaction: &Transaction<'_>,
        files: &NewLineFiles,
        node: &Node,
        signature: Signature,
    ) -> Result<SignatureReceipt> {
        let line = encode_signature(&signature);
        let principals = self.verified(&signature, &line)?;
        let open = transaction.open_for(files, node)?;
        let ledger = open.ledger.path.to_string();
        let ledgers = transaction.ledgers(node, &open)?;
        let held: BTreeSet<LineHash> =
            ledgers.iter().flat_map(|ledger| &ledger.raw).map(|line| LineHash::of_object(line)).collect();
        if !signature.lines.iter().all(|hash| held.contains(hash)) {
            return Err(Error::refused(format!("the ledger of {} changed while its lines were signed", node.id))
                .because(Refusal::Invalid)
                .hint("run the same command again"));
        }
        open.append(&line)?;
        let key = SshSignature::parse(&signature.sig).map(|made| made.key.fingerprint()).unwrap_or_default();
        Ok(SignatureReceipt {
            node: node.id.clone(),
            ledger,
            lines: signature.lines.len(),
            ts: signature.ts.map(|ts| ts.to_string()).unwrap_or_default(),
            key,
            principals,
        })
    }

    /// The names of the key, after the signature was verified.
    fn verified(&self, signature: &Signature, line: &str) -> Result<Vec<String>> {
        let wrong = |why: String| {
            Error::unchecked(format!("the new signature does not verify: it {why}"))
                .hint("nothing was written; try another key: --key FILE")
        };
        let testimony = self.verifier.testimonies(&[SignedLine { signature, line: &line.as_bytes().into() }])?;
        match testimony.into_iter().next() {
            Some(Testimony::Known(signer)) => Ok(signer.principals.clone()),
            Some(Testimony::Unknown(..)) if self.verifier.is_made(signature, line.as_bytes())? => Ok(Vec::new()),
            Some(Testimony::Broken(why)) => Err(wrong(why)),
            _ => Err(wrong("was made by no key".to_owned())),
        }
    }
}
