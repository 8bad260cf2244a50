//! `export`: the readings for other programs.

use crate::cli::Exit;
use crate::cli::args::formats::{ANSWER, HUMAN};
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::error::Result;
use crate::features::trust::judge::envelope::signatures;
use crate::features::trust::judge::export::stated;
use crate::features::trust::model::statement::StatedReading;
use crate::features::trust::print::{pre_authentication, statement, write_envelope};
use crate::features::trust::verbs::export_args::{ExportArgs, InTotoArgs};
use crate::features::trust::verbs::sign::key_of;
use crate::report::Format;
use crate::text::escape::echo;

impl FeatureArgs for ExportArgs {
    const NAME: &'static str = "export";
    const AFTER: &'static str = "ls";
    const LISTED: (Heading, u16) = (Heading::More, 70);

    fn formats(below: &[&str]) -> &'static [Format] {
        if below == ["in-toto"] { HUMAN } else { ANSWER }
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        let Self::InToto(args) = self;
        in_toto(call, &args)
    }
}

fn in_toto(call: Call<'_>, args: &InTotoArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let key = args.sign.then(|| key_of(call, &repo, args.signing_key.as_deref(), "--signing-key")).transpose()?;
    let here = call.standing(&repo);
    let readings = call.patiently(|| stated(&repo, &args.nodes, args.rev.as_deref(), &here))?;
    let statements: Vec<Option<String>> = readings.iter().map(statement).collect();
    let unsaid = readings.iter().zip(&statements).filter(|(_, statement)| statement.is_none());
    warn_unsaid(call, unsaid.map(|(reading, _)| reading));
    let lines: Vec<String> = statements.into_iter().flatten().collect();
    crate::cli::verbs::say_how(
        call,
        readings.is_empty(),
        "no readings to export; file one: yatsu-hook eval NODE --pass",
    );
    let Some(key) = key else {
        return call.answer(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")));
    };
    let signed = signatures(&repo, &key, call.can_ask(), lines.iter().map(|line| pre_authentication(line)))?;
    call.answer(|out| {
        lines.iter().zip(&signed).try_for_each(|(line, by)| write_envelope(line, &by.keyid, &by.sig, out))
    })
}

/// How many readings without a statement are named.
const MOST_NAMED: usize = 5;

fn warn_unsaid<'r>(call: Call<'_>, unsaid: impl Iterator<Item = &'r StatedReading>) {
    let names: Vec<String> = unsaid.map(|reading| echo(&reading.name()).into_owned()).collect();
    if !names.is_empty() {
        let shown = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if names.len() > MOST_NAMED { ", …" } else { "" };
        call.warn(&[format!(
            "{} not exported, because no commit and no stamp says what was measured: {shown}{more}",
            names.len()
        )]);
    }
}
