//! The readers of `usage`. The object in a ledger line may have keys of later versions. The report of a measuring program
//! has a closed set of names, so that a misspelt name does not lose a cost.

use super::{Amounts, Metric, TokenCount, Usage};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};

/// Why an object cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageFault {
    /// Byte offset of the faulty value.
    pub offset: usize,
    /// The fault, one sentence.
    pub message: String,
}

type Found<T> = Result<T, UsageFault>;

/// The names in ledgers, and the names in reports of measuring programs.
const RESOURCES: [(&str, &str, Metric); 5] = [
    ("maxRssBytes", "max_rss_bytes", Metric::Rss),
    ("cpuUserTicks", "cpu_user_ticks", Metric::CpuUser),
    ("cpuSystemTicks", "cpu_system_ticks", Metric::CpuSystem),
    ("ioReadBytes", "io_read_bytes", Metric::IoRead),
    ("ioWriteBytes", "io_write_bytes", Metric::IoWrite),
];

const TOKENS: [(&str, &str); 4] = [
    ("promptTokens", "prompt_tokens"),
    ("completionTokens", "completion_tokens"),
    ("totalTokens", "total_tokens"),
    ("source", "source"),
];

/// The ledger name of a metric; `None` for tokens, which have three names.
pub(super) fn resource_name(metric: Metric) -> Option<&'static str> {
    RESOURCES.iter().find(|(.., of)| *of == metric).map(|(ours, ..)| *ours)
}

/// The names for the tokens of the prompt, of the completion and for their sum.
pub(super) fn token_amount_names() -> [&'static str; 3] {
    [TOKENS[0].0, TOKENS[1].0, TOKENS[2].0]
}

/// Objects in a report; their members count as members of the report.
const NESTED: [&str; 2] = ["command_resource_usage", "command_token_usage"];

/// The usage of a ledger line.
///
/// # Errors
/// The first member that violates claims.md.
pub(crate) fn parse(json: &Json<'_>) -> Found<Usage> {
    let JsonValue::Object(_) = &json.value else { return Err(fault(json, "\"usage\" must be an object")) };
    usage(json, &|ours, _| present(json, ours))
}

/// The usage of a report: ledger names or snake case names, nested or not.
///
/// # Errors
/// The first member that violates claims.md, and every unknown or repeated name.
pub(crate) fn parse_report(json: &Json<'_>) -> Found<Usage> {
    let mut members: Vec<(&str, &Json<'_>)> = Vec::new();
    gather(json, 0, &mut members)?;
    let find = |ours: &str, theirs: &str| {
        members.iter().find(|(name, _)| *name == ours || *name == theirs).map(|(_, value)| *value)
    };
    usage(json, &find)
}

/// The members of a report, including the members of its nested objects; `null` counts as absent.
fn gather<'j, 't>(json: &'j Json<'t>, depth: usize, members: &mut Vec<(&'j str, &'j Json<'t>)>) -> Found<()> {
    let JsonValue::Object(all) = &json.value else { return Err(fault(json, "a usage report must be a JSON object")) };
    for (name, value) in all.iter().filter(|(_, value)| value.value != JsonValue::Null) {
        if depth == 0 && NESTED.contains(&&**name) {
            gather(value, depth + 1, members)?;
            continue;
        }
        let Some(same) = spellings(name) else {
            let message = format!("\"{}\" is no usage; there are {}", echo(name), names());
            return Err(fault(value, &message));
        };
        if members.iter().any(|(other, _)| same.contains(other)) {
            return Err(fault(value, &format!("\"{}\" is there twice", echo(name))));
        }
        members.push((name, value));
    }
    Ok(())
}

fn spellings(name: &str) -> Option<[&'static str; 2]> {
    let resources = RESOURCES.iter().map(|(ours, theirs, _)| [*ours, *theirs]);
    let mut all = resources.chain(TOKENS.iter().map(|(ours, theirs)| [*ours, *theirs]));
    all.find(|same| same.contains(&name))
}

fn names() -> String {
    let all: Vec<&str> = RESOURCES.iter().map(|(ours, ..)| *ours).chain(TOKENS.iter().map(|(ours, _)| *ours)).collect();
    all.join(", ")
}

fn present<'j, 't>(json: &'j Json<'t>, name: &str) -> Option<&'j Json<'t>> {
    json.get(name).filter(|value| value.value != JsonValue::Null)
}

/// Finds a member by its ledger name or its report name.
type Finder<'f, 'j, 't> = dyn Fn(&str, &str) -> Option<&'j Json<'t>> + 'f;

fn usage<'j, 't>(json: &Json<'t>, find: &Finder<'_, 'j, 't>) -> Found<Usage> {
    let mut resources = Amounts::default();
    for (ours, theirs, metric) in RESOURCES {
        if let Some(value) = find(ours, theirs) {
            resources.set(metric, number(ours, value)?);
        }
    }
    Ok(Usage { resources, tokens: tokens(json, find)? })
}

/// All four or none, because a partial count cannot be compared with a limit.
fn tokens<'j, 't>(json: &Json<'t>, find: &Finder<'_, 'j, 't>) -> Found<Option<TokenCount>> {
    let [prompt, completion, total, source] = TOKENS.map(|(ours, theirs)| (ours, find(ours, theirs)));
    if [prompt, completion, total, source].iter().all(|(_, value)| value.is_none()) {
        return Ok(None);
    }
    let needed = |name: &str, value: Option<&'j Json<'t>>| {
        value.ok_or_else(|| fault(json, &format!("\"{name}\" is missing; tokens need all of {}", token_names())))
    };
    let amount = |name: &str, value: Option<&'j Json<'t>>| number(name, needed(name, value)?);
    let (counted, answered) = (amount(prompt.0, prompt.1)?, amount(completion.0, completion.1)?);
    let sum = amount(total.0, total.1)?;
    let named = needed(source.0, source.1)?;
    let who = named.as_str().filter(|text| !text.trim().is_empty());
    let who = who.ok_or_else(|| fault(named, "\"source\" must say who counted the tokens"))?;
    let count = TokenCount::new(counted, answered, who).filter(|count| count.total() == sum);
    count.map(Some).ok_or_else(|| {
        fault(total.1.unwrap_or(named), &format!("{counted} + {answered} tokens are not the total of {sum}"))
    })
}

fn token_names() -> String {
    TOKENS.map(|(ours, _)| ours).join(", ")
}

fn number(name: &str, value: &Json<'_>) -> Found<u64> {
    let text = match value.value {
        JsonValue::Number(text) => Some(text),
        _ => None,
    };
    // no sign, no fraction, no exponent: other formats of other programs are not guessed
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit())).and_then(|text| text.parse().ok()).ok_or_else(
        || {
            let found = text.map_or_else(|| value.type_name().to_owned(), |text| echo(text).to_string());
            fault(value, &format!("\"{name}\" must be a whole number from 0 to {}, not {found}", u64::MAX))
        },
    )
}

fn fault(at: &Json<'_>, message: &str) -> UsageFault {
    UsageFault { offset: at.offset, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;
    use proptest::prelude::*;

    fn line(text: &str) -> Found<Usage> {
        parse(&json::parse(text).unwrap())
    }

    fn report(text: &str) -> Found<Usage> {
        parse_report(&json::parse(text).unwrap())
    }

    fn message(found: Found<Usage>) -> String {
        found.unwrap_err().message
    }

    const ALL: &str = r#"{"maxRssBytes":1,"cpuUserTicks":2,"cpuSystemTicks":3,"ioReadBytes":4,"ioWriteBytes":5,"promptTokens":6,"completionTokens":7,"totalTokens":13,"source":"s"}"#;

    #[test]
    fn every_amount_is_read_in_both_spellings_nested_or_not() {
        let snake = r#"{"command_resource_usage":{"max_rss_bytes":1,"cpu_user_ticks":2,"cpu_system_ticks":3,"io_read_bytes":4,"io_write_bytes":5},"command_token_usage":{"prompt_tokens":6,"completion_tokens":7,"total_tokens":13,"source":"s"}}"#;
        let ours = line(ALL).unwrap();
        assert_eq!(Metric::ALL.map(|metric| ours.amounts().get(metric)), [1, 2, 3, 4, 5, 13].map(Some));
        assert_eq!(report(ALL).unwrap(), ours);
        assert_eq!(report(snake).unwrap(), ours);
    }

    #[test]
    fn a_ledger_line_may_hold_keys_of_later_versions_and_a_report_may_not() {
        assert!(line(r#"{"gpuTicks":1,"maxRssBytes":null}"#).unwrap().is_empty());
        assert!(message(report(r#"{"maxRssByte":1}"#)).contains("\"maxRssByte\" is no usage"));
        assert!(message(report(r#"{"maxRssBytes":1,"max_rss_bytes":1}"#)).contains("twice"));
        assert!(message(report("[1]")).contains("must be a JSON object"));
        assert!(message(report(r#"{"command_token_usage":[]}"#)).contains("must be a JSON object"));
        assert!(message(line("[1]")).contains("must be an object"));
    }

    #[test]
    fn negative_fractional_and_too_large_numbers_are_refused() {
        for number in ["-1", "1.5", "1e3", "18446744073709551616", "\"1\"", "true", "[]"] {
            let text = format!("{{\"ioReadBytes\":{number}}}");
            assert!(message(line(&text)).contains("\"ioReadBytes\" must be a whole number"), "{number}");
            assert!(report(&text).is_err(), "{number}");
        }
        assert_eq!(
            line(r#"{"ioReadBytes":18446744073709551615}"#).unwrap().resources.get(Metric::IoRead),
            Some(u64::MAX)
        );
    }

    #[test]
    fn tokens_come_whole_and_add_up() {
        assert!(
            message(line(r#"{"promptTokens":3,"completionTokens":4,"totalTokens":8,"source":"s"}"#)).contains("3 + 4")
        );
        for left_out in ["promptTokens", "completionTokens", "totalTokens", "source"] {
            let text = ALL.replace(&format!("\"{left_out}\""), "\"other\"");
            assert!(message(line(&text)).contains(&format!("\"{left_out}\" is missing")), "{left_out}");
        }
        assert!(message(line(&ALL.replace("\"s\"", "\" \""))).contains("\"source\" must say"));
        let most = format!(r#"{{"promptTokens":{0},"completionTokens":1,"totalTokens":{0},"source":"s"}}"#, u64::MAX);
        assert!(line(&most).is_err(), "a sum that does not fit is no total");
    }

    proptest! {
        #[test]
        fn no_object_panics(text in "\\{(\"(maxRssBytes|source|promptTokens|command_token_usage|x)\":(1|-1|\"s\"|null|\\{\\}|\\[\\]),?){0,3}\\}") {
            if let Ok(json) = json::parse(&text) {
                let _ = parse(&json);
                let _ = parse_report(&json);
            }
        }
    }
}
