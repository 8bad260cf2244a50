//! The score as a badge: the JSON that a badge service reads, or an SVG picture of text and two rectangles.

use crate::report::view::tally::ScoreTally;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// How a picture begins.
const SVG: &str = "<svg role=\"img\" data-yatsu-badge=\"1\" xmlns=\"http://www.w3.org/2000/svg\"";

/// How the JSON begins.
const JSON: &str = "{\"schemaVersion\":1,\"label\":\"scenarios\",";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadgeForm {
    /// JSON from which a service draws the badge.
    Json,
    /// An SVG picture.
    Svg,
}

impl BadgeForm {
    /// The form that the file name's extension asks for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }

    /// The first bytes of a badge file that this program wrote. Only a file that begins with them is replaced.
    pub(crate) fn beginning(self) -> &'static str {
        match self {
            Self::Json => JSON,
            Self::Svg => SVG,
        }
    }
}

/// The text on the left side.
const LABEL: &str = "scenarios";

/// A badge, in the JSON of services that draw badges from a URL.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Badge {
    schema_version: u8,
    label: &'static str,
    message: String,
    color: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

impl Badge {
    /// The badge of a score.
    pub(crate) fn of(score: &ScoreTally) -> Self {
        let (scenarios, pass, fail) = (score.all(), score.pass, score.fail);
        let color = match () {
            () if scenarios == 0 => "lightgrey",
            () if fail > 0 => "red",
            () if pass == scenarios => "brightgreen",
            () => "yellow",
        };
        let message = if scenarios == 0 { "none".to_owned() } else { format!("{pass}/{scenarios} pass") };
        Self { schema_version: 1, label: LABEL, message, color, is_error: false }
    }

    /// The badge of a check that could not be made.
    pub(crate) fn unchecked() -> Self {
        Self { schema_version: 1, label: LABEL, message: "unchecked".to_owned(), color: "lightgrey", is_error: true }
    }

    /// Writes the badge in this form.
    pub(crate) fn write(&self, form: BadgeForm, out: &mut dyn Write) -> io::Result<()> {
        match form {
            BadgeForm::Json => self.write_json(out),
            BadgeForm::Svg => self.write_svg(out),
        }
    }

    /// The text on the right side, for example `3/4 pass`.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", serde_json::to_string(self).map_err(io::Error::other)?)
    }

    /// The picture loads nothing from elsewhere, and its title says the score in words.
    fn write_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        let (left, right) = (columns(self.label), columns(&self.message));
        let (fill, ink) = match self.color {
            "brightgreen" => ("#2f7d32", "#fff"),
            "red" => ("#b3261e", "#fff"),
            "yellow" => ("#f2c037", "#111"),
            _ => ("#c0c0c0", "#111"),
        };
        let text = |x: usize, ink: &str, said: &str| {
            let place = format!("x=\"{x}\" y=\"14\" text-anchor=\"middle\" fill=\"{ink}\"");
            format!("<text {place} font-family=\"Verdana,sans-serif\" font-size=\"11\">{said}</text>")
        };
        let rect = |x: usize, width: usize, fill: &str| {
            format!("<rect x=\"{x}\" width=\"{width}\" height=\"20\" fill=\"{fill}\"/>")
        };
        let size = format!("width=\"{}\" height=\"20\"", left + right);
        write!(out, "{SVG} {size}><title>{}: {}</title>", self.label, self.message)?;
        write!(out, "{}{}", rect(0, left, "#444"), rect(left, right, fill))?;
        let (label, message) = (text(left / 2, "#fff", self.label), text(left + right / 2, ink, &self.message));
        writeln!(out, "{label}{message}</svg>")
    }
}

/// The approximate width of a drawn text in pixels. All texts here are ASCII.
fn columns(text: &str) -> usize {
    text.len() * 7 + 12
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(badge: &Badge, form: BadgeForm) -> String {
        let mut out = Vec::new();
        badge.write(form, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_badge_is_green_only_where_every_scenario_passes() {
        let score = |pass, fail, stale| ScoreTally { pass, fail, stale, ..ScoreTally::default() };
        for (score, message, color) in [
            (score(0, 0, 0), "none", "lightgrey"),
            (score(3, 0, 0), "3/3 pass", "brightgreen"),
            (score(2, 1, 0), "2/3 pass", "red"),
            (score(2, 0, 1), "2/3 pass", "yellow"),
        ] {
            let json = drawn(&Badge::of(&score), BadgeForm::Json);
            let rest = format!("\"message\":\"{message}\",\"color\":\"{color}\"}}\n");
            assert_eq!(json, format!("{JSON}{rest}"));
        }
        assert!(drawn(&Badge::unchecked(), BadgeForm::Json).ends_with(",\"isError\":true}\n"));
    }

    #[test]
    fn a_picture_of_it_is_text_and_rectangles() {
        let svg = drawn(&Badge::of(&ScoreTally { pass: 1, ..ScoreTally::default() }), BadgeForm::Svg);
        assert!(svg.starts_with(SVG) && svg.contains("<title>scenarios: 1/1 pass</title>"), "{svg}");
        let names: Vec<&str> = svg.split('<').skip(1).filter_map(|tag| tag.split([' ', '>']).next()).collect();
        let known = ["svg", "title", "/title", "rect", "text", "/text", "/svg"];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    }
}
