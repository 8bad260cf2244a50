//! Input: a report. Output: bytes, as human text, JSON, SARIF 2.1.0, GitHub workflow commands, Markdown or JUnit XML.
//! Reporters only format: they do not count, filter or decide. Text from a repository is escaped here and nowhere later.

mod annotations;
pub(crate) mod begin;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod evidence;
pub(crate) mod explain;
mod github;
pub(crate) mod human;
pub(crate) mod install;
mod json;
mod junit;
pub(crate) mod markdown;
pub(crate) mod receipt;
pub(crate) mod refusal;
mod sarif;
pub(crate) mod score;
pub(crate) mod units;
pub(crate) mod usage;
pub(crate) mod view;

pub use view::score::ReadingState;
pub use view::tally::{ScenarioStand, ScoreTally};
pub use view::verdict::ShownVerdict;
pub use view::{
    Diagnosis, Format, Health, InstallReceipt, InstallVerb, Report, RuleText, SINGLES_LISTED, Scope, ScopeMode, Style,
    Summary,
};

use crate::finding::Finding;
use crate::text::escape;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// What to do about several scenarios that are stale by one path. If each has a test, no pass by hand is named.
fn measure_each(findings: &[&Finding]) -> String {
    let has_test = |finding: &&Finding| finding.help.contains(" --from-junit FILE   (or ");
    let rest = match findings.iter().all(has_test) {
        true => "--from-junit FILE   (or --from-ctrf)",
        false => "--pass   (or --fail; with a test: --from-junit FILE)",
    };
    format!("measure each again, then: yatsu-hook eval NODE/SCENARIO {rest}")
}

/// Writes `report` in `format`. A human report without content is zero bytes; JSON and SARIF are always one whole document.
/// Fails only when `out` does.
pub fn write(report: &Report, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Human => human::write(report, style, out),
        Format::Json => json::write(report, out),
        Format::Sarif => sarif::write(report, style, out),
        Format::Github => github::write(report, out),
        Format::Markdown => markdown::write(report, out),
        Format::Junit => junit::write(report, out),
        // a report has no drawing: if a graph could not be drawn, standard error says why
        Format::Dot | Format::Mermaid => Ok(()),
    }
}

/// `node/scenario`, as far as they are known, and the code of the violation if the rule has several, for example
/// `board/renders · CODE`.
pub(crate) fn subject(finding: &Finding) -> Option<String> {
    match (about(finding), finding.code) {
        (Some(about), Some(code)) => Some(format!("{about} · {code}")),
        (about, code) => about.or(code.map(str::to_owned)),
    }
}

fn about(finding: &Finding) -> Option<String> {
    let node = finding.node.as_ref().map(|node| escape::echo(&node.id));
    match (node, finding.scenario.as_deref().map(escape::echo)) {
        (Some(node), Some(scenario)) => Some(format!("{node}/{scenario}")),
        (None, None) => None,
        (one, other) => one.or(other).map(Cow::into_owned),
    }
}

/// Writes one JSON document on one line: the name of its format as `schema`, then the keys of `content`. Fails only when
/// `out` does.
pub(crate) fn write_document(schema: &'static str, content: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a, T: Serialize> {
        schema: &'static str,
        #[serde(flatten)]
        content: &'a T,
    }
    write_json(&Document { schema, content }, out)
}

/// Writes a JSON document on one line. Its key `schema` names the format; if the meaning of any key changes, the name
/// changes. Fails only when `out` does.
pub(crate) fn write_json(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(document).map_err(io::Error::other)?;
    writeln!(out, "{}", inert_json(json))
}

/// A text as messages quote it: clipped and escaped.
pub(crate) fn shown(text: &str) -> String {
    escape::terminal(&*escape::echo(text)).into_owned()
}

/// A serialised document without characters that a terminal would act on: in strings they become JSON escapes of four
/// hexadecimal digits, which read back as the same text. Outside of strings JSON is ASCII.
pub(crate) fn inert_json(json: String) -> String {
    if json.bytes().all(|byte| byte.is_ascii() && byte != 0x7f) {
        return json;
    }
    let mut inert = String::with_capacity(json.len());
    for c in json.chars() {
        let mut utf8 = [0; 4];
        let text: &str = c.encode_utf8(&mut utf8);
        if (c as u32) < 0x7f || escape::terminal(text) == text {
            inert.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            inert.push_str(&format!("\\u{unit:04x}"));
        }
    }
    inert
}
