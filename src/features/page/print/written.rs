//! The receipt of `report`: a page or a badge that was written.

use crate::report::receipt::{Receipt, amount};
use crate::report::shown;
use crate::text::plural;
use serde::Serialize;

/// A page or a badge that was written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", tag = "outcome", rename = "written")]
pub(crate) struct WrittenPage {
    /// Where it is, as it was typed.
    pub path: String,
    /// Its size in bytes.
    pub size: usize,
    /// How many scenarios are on it.
    pub scenarios: usize,
    /// How many pieces of evidence it shows, wholly or in part.
    pub shown: usize,
    /// How many pieces are in this clone but not on the page.
    pub left_out: usize,
    /// How many pieces are not in this clone.
    pub missing: usize,
    /// How many secrets were masked.
    pub masked: usize,
}

impl Receipt for WrittenPage {
    const VERB: &'static str = "report";

    /// What the page contains, and who can read it.
    fn lines(&self, _all: bool) -> String {
        let of = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
        let secrets = if self.masked == 1 { "secret masked" } else { "secrets masked" };
        format!(
            "wrote {} ({}): {}, {} of evidence{}{}{}; everyone who has the file can read them\n",
            shown(&self.path),
            amount(self.size as u64),
            plural(self.scenarios, "scenario"),
            plural(self.shown, "piece"),
            of(self.left_out, "left out"),
            of(self.missing, "not in this clone"),
            of(self.masked, secrets),
        )
    }
}
