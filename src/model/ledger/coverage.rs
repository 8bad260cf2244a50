//! What the measured run went through: `coverage`, for example
//! `{"format":"lcov","ran":["src/shop/price.py"],"more":0,"loaded":2}` (formats.md, "A reading"). It is advice: freshness,
//! verdicts and keys never look at it, and a wrong value counts for nothing.

use super::fields::{Field, bad, plain_path, present, required, spelling, string, wrong_type};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::path::RepoPath;
use serde::Serialize;

/// The key in the line of a reading.
const KEY: &str = "coverage";
/// Most paths in `ran`.
pub(crate) const MAX_RAN: usize = 64;
/// Most bytes of the paths in `ran`, as a line spells them.
pub(crate) const MAX_RAN_BYTES: usize = 8 << 10;

/// The files that ran, by the coverage files that were given at the filing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageOf {
    /// The format of the coverage files, for example `lcov`. Later versions may know others.
    pub format: String,
    /// Files that ran: first the files that the scenario did not govern, then the others, each part sorted.
    pub ran: Vec<RepoPath>,
    /// How many further files ran.
    pub more: u32,
    /// How many files were only loaded, for example imported.
    pub loaded: u32,
}

impl CoverageOf {
    /// The value for files that ran, in this order. Paths beyond the limits, and paths that are not UTF-8, are counted.
    pub fn bounded(format: String, ran: Vec<RepoPath>, loaded: usize) -> Self {
        let (all, mut bytes) = (ran.len(), 0);
        let cost =
            |path: &RepoPath| spelling(path).and_then(|text| serde_json::to_string(text).ok()).map(|text| text.len());
        let fits = |(path, cost): (RepoPath, usize)| {
            bytes += cost;
            (bytes <= MAX_RAN_BYTES).then_some(path)
        };
        let spelled = ran.into_iter().filter_map(|path| cost(&path).map(|cost| (path, cost)));
        let ran: Vec<RepoPath> = spelled.take(MAX_RAN).map_while(fits).collect();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { format, more: count(all - ran.len()), ran, loaded: count(loaded) }
    }
}

pub(super) fn read(object: &Json<'_>) -> Field<Option<CoverageOf>> {
    let Some(coverage) = present(object, KEY) else { return Ok(None) };
    if !matches!(coverage.value, JsonValue::Object(_)) {
        return Err(wrong_type(KEY, "an object with \"format\"", coverage));
    }
    let (more, loaded) = (count(coverage, "more")?, count(coverage, "loaded")?);
    Ok(Some(CoverageOf { format: format(coverage)?, ran: ran(coverage)?, more, loaded }))
}

fn format(coverage: &Json<'_>) -> Field<String> {
    let value = required(coverage, "format")?;
    let format = string("format", value)?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".,+-".contains(&byte);
    if format.is_empty() || format.len() > 64 || !format.bytes().all(is_name) {
        let message = format!("\"{KEY}\": \"format\" must be a name as lcov or coverage.py, not \"{}\"", echo(format));
        return Err(bad(KEY, value, message));
    }
    Ok(format.to_owned())
}

fn ran(coverage: &Json<'_>) -> Field<Vec<RepoPath>> {
    let value = required(coverage, "ran")?;
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type("ran", "a list of paths", value)) };
    let path = |item: &Json<'_>| {
        let text = string("ran", item)?;
        plain_path(text).ok_or_else(|| {
            bad(KEY, item, format!("\"{KEY}\": \"{}\" in \"ran\" is not a plain path inside a repository", echo(text)))
        })
    };
    let ran = items.iter().map(path).collect::<Field<Vec<_>>>()?;
    let bytes: usize = ran.iter().map(|path| path.as_bstr().len()).sum();
    if ran.len() > MAX_RAN || bytes > MAX_RAN_BYTES {
        let size = format!("{} paths of {bytes} bytes", ran.len());
        let message = format!("\"{KEY}\": \"ran\" lists {size}; the limits are {MAX_RAN} and {MAX_RAN_BYTES}");
        return Err(bad(KEY, value, message));
    }
    Ok(ran)
}

fn count(coverage: &Json<'_>, key: &'static str) -> Field<u32> {
    let value = required(coverage, key)?;
    let number = value.number().and_then(|number: i64| u32::try_from(number).ok());
    number.ok_or_else(|| wrong_type(key, "a whole number from 0", value))
}

/// The value as written in a line.
#[derive(Serialize)]
pub(super) struct CoverageValue<'r> {
    format: &'r str,
    ran: Vec<&'r str>,
    more: u32,
    loaded: u32,
}

impl CoverageValue<'_> {
    /// Counts the last half of the named files instead of naming them; `false` if it names none.
    pub(super) fn count_half(&mut self) -> bool {
        let named = self.ran.len();
        self.ran.truncate(named / 2);
        self.more = self.more.saturating_add(u32::try_from(named - self.ran.len()).unwrap_or(u32::MAX));
        named > 0
    }
}

/// The written form of `coverage`.
pub(super) fn value(coverage: &CoverageOf) -> CoverageValue<'_> {
    CoverageValue {
        format: &coverage.format,
        ran: coverage.ran.iter().filter_map(spelling).collect(),
        more: coverage.more,
        loaded: coverage.loaded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{MAX_WRITTEN_LINE, Reading, Stamped, encode_reading, parse};
    use crate::tree::oid::Oid;

    const LINE: &str = r#"{"scenario":"s","codeSha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","blob":null,"verdict":{"status":"pass"},"coverage":{"format":"lcov","ran":["src/tax.py","src/price.py"],"more":3,"loaded":2},"ts":"2026-01-01T00:00:00.000Z"}"#;

    fn reading(line: &str) -> Reading {
        let ledger = parse(&RepoPath::root(), line.as_bytes());
        assert!(ledger.problems.is_empty(), "{line}: {:?}", ledger.problems);
        let Some(reading) = ledger.lines[0].event.reading() else { panic!("a reading") };
        reading.clone()
    }

    fn paths(count: usize, name: impl Fn(usize) -> String) -> Vec<RepoPath> {
        (0..count).map(|at| RepoPath::from_git(name(at))).collect()
    }

    #[test]
    fn a_written_coverage_reads_back_in_its_order() {
        let read = reading(LINE);
        assert_eq!((read.terms.wrong.len(), encode_reading(&read).as_str()), (0, LINE));
        let coverage = read.terms.coverage.unwrap();
        assert_eq!((coverage.format.as_str(), coverage.more, coverage.loaded), ("lcov", 3, 2));
        assert_eq!(coverage.ran.iter().map(ToString::to_string).collect::<Vec<_>>(), ["src/tax.py", "src/price.py"]);
    }

    #[test]
    fn a_wrong_coverage_counts_for_nothing_and_leaves_the_reading_as_it_is() {
        let many = |count: usize| format!("[{}]", vec!["\"a\""; count].join(","));
        let long = format!("[\"{0}a\",\"{0}b\",\"cc\"]", "a".repeat(4095));
        let ran = r#"["src/tax.py","src/price.py"]"#;
        for (from, to, said) in [
            (r#""format":"lcov""#, r#""format":"""#, "\"format\" must be a name"),
            (r#""format":"lcov""#, r#""format":"L\u001b""#, "\"format\" must be a name"),
            (r#""format":"lcov","#, "", "\"format\" is missing"),
            (ran, "\"src/tax.py\"", "\"ran\" must be a list of paths"),
            (ran, "[5]", "\"ran\" must be a string"),
            ("src/tax.py", "../tax.py", "\"../tax.py\" in \"ran\" is not a plain path"),
            ("src/tax.py", "/etc/passwd", "is not a plain path"),
            ("src/tax.py", ".git/config", "is not a plain path"),
            ("src/tax.py", "./tax.py", "is not a plain path"),
            ("src/tax.py", "", "is not a plain path"),
            (ran, &many(65), "\"ran\" lists 65 paths of 65 bytes; the limits are 64 and 8192"),
            (ran, &long, "lists 3 paths of 8194 bytes"),
            ("\"more\":3", "\"more\":-3", "\"more\" must be a whole number from 0"),
            ("\"more\":3", "\"more\":4294967296", "\"more\" must be a whole number from 0"),
            (",\"loaded\":2", "", "\"loaded\" is missing"),
            (r#"{"format""#, r#"["x"],"was":{"format""#, "\"coverage\" must be an object"),
        ] {
            assert!(LINE.contains(from), "{from}");
            let read = reading(&LINE.replace(from, to));
            assert!(read.terms.wrong.first().is_some_and(|wrong| wrong.contains(said)), "{to}: {:?}", read.terms.wrong);
            assert_eq!((read.scenario.as_str(), read.terms.wrong.len(), read.terms.coverage), ("s", 1, None));
        }
        assert_eq!(reading(&LINE.replace(ran, &many(64))).terms.wrong, [""; 0]);
        let later = LINE.replace("\"lcov\"", "\"jacoco\",\"branches\":7");
        assert_eq!(reading(&later).terms.coverage.unwrap().format, "jacoco", "a later version writes it");
    }

    #[test]
    fn a_coverage_is_bounded_and_counts_the_rest() {
        let bounded = |ran| CoverageOf::bounded("go".into(), ran, 7);
        let many = bounded(paths(70, |at| format!("src/{at:02}.go")));
        assert_eq!((many.ran.len(), many.more, many.loaded), (64, 6, 7));
        assert_eq!(many.ran[63].to_string(), "src/63.go");
        // a newline is two bytes in a line, so 10 of these paths are 8 KiB
        let long = bounded(paths(12, |at| format!("{at:02}{}", "\n".repeat(407))));
        assert_eq!((long.ran.len(), long.more), (10, 2));
        let not_utf8 = bounded(vec![RepoPath::from_git(b"a\xff".to_vec()), RepoPath::from_git("b")]);
        assert_eq!((not_utf8.ran, not_utf8.more), (vec![RepoPath::from_git("b")], 1));
    }

    #[test]
    fn a_line_that_is_too_long_names_fewer_files_that_ran_before_it_loses_its_stamp() {
        let oid = Oid::from_hex(b"4b825dc642cb6eb9a060e54bf8d69288fbee4904").unwrap();
        let stamp = |count: usize| paths(count, |at| format!("src/{at:090}.go")).into_iter();
        let stamped = Stamped::parse(&oid.to_string()).unwrap();
        let with = |files: usize, coverage: Option<CoverageOf>| {
            let mut reading = reading(LINE);
            reading.governed = Some(stamp(files).map(|path| (path, stamped)).collect());
            reading.terms.coverage = coverage;
            encode_reading(&reading)
        };
        let coverage = CoverageOf::bounded("go".into(), paths(64, |at| format!("src/{at:0100}.go")), 0);
        let short = with(100, Some(coverage.clone()));
        assert!(short.contains("\"governed\"") && short.contains("\"coverage\"") && short.len() < MAX_WRITTEN_LINE);
        let fewer = reading(&with(200, Some(coverage.clone())));
        let counted = fewer.terms.coverage.unwrap();
        assert!(fewer.governed.is_some() && (1..64).contains(&counted.ran.len()), "{}", counted.ran.len());
        assert_eq!(counted.ran.len() + counted.more as usize, 64);
        let most = (200..).take_while(|files| with(files + 1, None).contains("\"governed\"")).last().unwrap() + 1;
        let full = with(most, None);
        let (line, none) = (with(most, Some(coverage)), reading(&full).terms.coverage);
        assert!(none.is_none() && line.contains("\"governed\"") && line.len() <= MAX_WRITTEN_LINE, "{}", line.len());
    }
}
