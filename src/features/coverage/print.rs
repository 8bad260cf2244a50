//! `coverage suggest`, for people. Machine form: `yatsu-hook/coverage/v1` (schema/coverage.v1.schema.json).

use crate::features::coverage::model::answer::CoverageAnswer;
use crate::text::escape::{echo, terminal};
use crate::text::plural;
use crate::text::yaml::write::scalar;
use std::io::{self, Write};

/// A sentence, the lines to paste, and what else the reports say.
pub(crate) fn write(answer: &CoverageAnswer, out: &mut dyn Write) -> io::Result<()> {
    let subject = format!("{} \u{b7} {}", shown(&answer.node), shown(&answer.scenario));
    match (&answer.added[..], answer.ran.len()) {
        ([], 0) => writeln!(out, "{subject}: the measured run went through no file that a scenario can govern")?,
        ([], ran) => writeln!(out, "{subject}: nothing to add; {} ran", plural(ran, "file"))?,
        (added, _) => {
            let place = answer.file.as_deref().map(|file| format!(" in {}", shown(file))).unwrap_or_default();
            writeln!(out, "{subject}: add {} to its code list{place}", plural(added.len(), "file"))?;
        }
    }
    for path in &answer.added {
        writeln!(out, "+ {}", scalar(path))?;
    }
    let (paths, most) = (answer.code.len(), answer.most);
    if paths > most && !answer.added.is_empty() {
        writeln!(out, "the list would have {paths} paths, and {most} is the limit: name directories instead")?;
    }
    for path in &answer.unlisted {
        writeln!(out, "ran, and a list cannot hold its name: {}", shown(path))?;
    }
    for path in &answer.never_ran {
        writeln!(out, "declared, never ran: {}", terminal(path))?;
    }
    if !answer.loaded.is_empty() {
        writeln!(out, "only loaded: {}", plural(answer.loaded.len(), "file"))?;
    }
    let left = &answer.left;
    let counts = [
        (left.untracked, format!("{} untracked", left.untracked)),
        (left.generated, format!("{} generated", left.generated)),
        (left.tests, plural(left.tests, "test")),
    ];
    let counts: Vec<_> = counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    if !counts.is_empty() {
        writeln!(out, "left out: {}", counts.join(", "))?;
    }
    Ok(())
}

fn shown(text: &str) -> String {
    terminal(&*echo(text)).into_owned()
}
