//! `sign`, and `--sign` of the verbs that write lines.

use crate::app::site::TypedScenario;
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::emit::not_signed;
use crate::cli::feature::FeatureArgs;
use crate::cli::filing::{Filing, WrittenLine, WrittenStep};
use crate::cli::verbs::{remind, time};
use crate::cli::{Exit, clock};
use crate::error::{Error, ErrorKind, Result};
use crate::features::trust::judge::key::SigningKey;
use crate::features::trust::judge::sign as recording;
use crate::features::trust::judge::sign::SignRequest;
use crate::features::trust::model::signed::SigningReceipt;
use crate::features::trust::verbs::sign_args::{SignArgs, SignedArgs};
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::store::signals;
use crate::sys;
use crate::text::shell;
use bstr::ByteSlice;
use clap::{ArgMatches, Args, FromArgMatches};
use std::path::{Path, PathBuf};

impl FeatureArgs for SignArgs {
    const NAME: &'static str = "sign";
    const AFTER: &'static str = "graph";
    const LISTED: (Heading, u16) = (Heading::More, 90);

    fn files(&self) -> bool {
        true
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        sign(call, self)
    }
}

fn sign(call: Call<'_>, args: SignArgs) -> Result<Exit> {
    signals::install()?;
    if args.scenario.is_some() && args.nodes.len() > 1 {
        return Err(Error::usage("--scenario belongs to one node").hint("name scenarios as NODE/SCENARIO"));
    }
    let repo = call.repo()?;
    let ts = args.ts.as_deref().map(time).transpose()?;
    let typed = |node: Option<String>| (TypedScenario { node, scenario: args.scenario.clone() }, ts);
    let mut wanted: Vec<_> = args.nodes.iter().cloned().map(|node| typed(Some(node))).collect();
    if wanted.is_empty() {
        wanted.push(typed(None));
    }
    let key = key_of(call, &repo, args.key.as_deref(), "--key")?;
    let request = request(call, key, wanted);
    let site = call.site(&repo)?;
    let signed = recording::sign(&repo, &site, &call.store(&repo), &request)?;
    warn_unknown(call, &signed);
    let exit = call.hand_over(&signed, Exit::CLEAN);
    remind(call, &site, &signed.signatures.iter().map(|one| &one.ledger).collect::<Vec<_>>());
    Ok(exit)
}

/// `--sign` of the verbs that write lines.
pub(crate) const FILING: Filing =
    Filing { written: Some(WrittenStep { flags: SignedArgs::augment_args, complete }), ..Filing::NONE };

/// Signs lines after they were written and their receipt was printed, if that was asked for. Returns `exit`. If it cannot
/// sign, the lines stay, so it says on standard error by which command they are signed, and returns exit code 3: a report of
/// a failed command beside the receipt would be a second JSON document, and would deny what was written.
fn complete(call: Call<'_>, repo: &Repo, typed: &ArgMatches, lines: &[WrittenLine], exit: Exit) -> Exit {
    let args = match SignedArgs::from_arg_matches(typed) {
        Ok(args) => args,
        Err(error) => return not_signed(&Error::fault(error.to_string()), call.global),
    };
    if !args.sign || lines.is_empty() {
        return exit;
    }
    let typed = |WrittenLine { node, scenario, ts }: &WrittenLine| {
        (TypedScenario { node: Some(node.clone()), scenario: scenario.clone() }, Some(*ts))
    };
    let signed = key_of(call, repo, args.signing_key.as_deref(), "--signing-key").and_then(|key| {
        let request = request(call, key, lines.iter().map(typed).collect());
        recording::sign(repo, &call.site(repo)?, &call.store(repo), &request)
    });
    match signed {
        Ok(signed) => {
            warn_unknown(call, &signed);
            exit
        }
        Err(error) => not_signed(&unsigned(error, &args, lines), call.global),
    }
}

/// Why the lines are not signed, with the commands that sign them.
fn unsigned(error: Error, args: &SignedArgs, lines: &[WrittenLine]) -> Error {
    let key = match &args.signing_key {
        Some(key) => format!(" --key {}", shell::word(&key.to_string_lossy())),
        // without a key the same command would fail again
        None if error.kind == ErrorKind::Usage => " --key FILE".to_owned(),
        None => String::new(),
    };
    let hints = Some(error.hints).filter(|_| error.kind != ErrorKind::Usage).unwrap_or_default();
    let not_signed = Error::unchecked(format!("it was written, and not signed: {}", error.message));
    let not_signed = hints.into_iter().fold(not_signed, Error::hint);
    lines.iter().take(MOST_NAMED).fold(not_signed, |error, WrittenLine { node, ts, .. }| {
        error.hint(format!("sign it: yatsu-hook sign {} --ts {ts}{key}", shell::word(node)))
    })
}

/// How many commands that complete a signature are named.
const MOST_NAMED: usize = 5;

fn request(call: Call<'_>, key: SigningKey, wanted: Vec<(TypedScenario, Option<Timestamp>)>) -> SignRequest {
    SignRequest { wanted, key, now: clock::now(), terminal: call.can_ask() }
}

/// The key that was named, else the one that git signs with.
pub(super) fn key_of(call: Call<'_>, repo: &Repo, named: Option<&Path>, flag: &str) -> Result<SigningKey> {
    if let Some(path) = named {
        return Ok(SigningKey::File(call.here()?.join(path)));
    }
    let config = repo.config()?;
    let key = config.get("user.signingkey").filter(|key| !key.is_empty());
    let is_ssh = config.get("gpg.format").is_some_and(|format| format == "ssh");
    let text = key.filter(|_| is_ssh).and_then(|key| key.to_str().map(str::to_owned).ok()).ok_or_else(|| {
        Error::usage("no key is named, and git signs with none of OpenSSH")
            .hint(format!("name one: {flag} ~/.ssh/id_ed25519"))
            .hint(
                "or let git sign with one: git config gpg.format ssh; git config user.signingkey ~/.ssh/id_ed25519.pub",
            )
    })?;
    if let Some(literal) = text.strip_prefix("key::") {
        return Ok(SigningKey::Text(literal.to_owned()));
    }
    if text.starts_with("ssh-") {
        return Ok(SigningKey::Text(text));
    }
    let home = || std::env::var_os(sys::HOME).map(PathBuf::from);
    let path = match text.strip_prefix("~/") {
        Some(rest) => home().map(|home| home.join(rest)),
        None => Some(call.here()?.join(&text)),
    };
    path.map(SigningKey::File).ok_or_else(|| {
        Error::usage(format!("user.signingkey names {text}, and HOME is not set"))
            .hint(format!("name a key: {flag} FILE"))
    })
}

fn warn_unknown(call: Call<'_>, signed: &SigningReceipt) {
    let unknown = signed.signatures.iter().find(|one| one.principals.is_empty());
    let warning = unknown.map(|one| {
        format!("the main branch does not know the key {} yet: the signature does not count before it does", one.key)
    });
    call.warn(&warning.into_iter().collect::<Vec<_>>());
}
