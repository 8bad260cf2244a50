//! One entry of `acceptance_criteria`: a closed set of keys for each kind.

use super::values::{Declared, Fields, Valued, number, one_of, text, unknown_key, whole, word, wrong};
use super::{ArtifactPattern, Criterion, CriterionKind, Op};
use crate::model::ids::nfc;
use crate::model::scenario::fields::MAX_PROSE;
use crate::model::source::{Fault, Position};
use crate::text::escape::{echo, is_blank};
use crate::text::markers::{MarkerName, metric_name, unit};
use crate::text::nearest::nearest;
use crate::text::yaml::{Value, YamlEntry, YamlKind};

const COMMON: [&str; 4] = ["id", "kind", "description", "scenario"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Metric,
    Marker,
    Artifact,
    Findings,
}

const SORTS: [(&str, Sort); 4] = [
    ("metric_threshold", Sort::Metric),
    ("marker_required", Sort::Marker),
    ("artifact_exists", Sort::Artifact),
    ("finding_count", Sort::Findings),
];

/// The names of the kinds in other tools and in older versions of the format.
const SORT_HABITS: [(&str, &str); 6] = [
    ("statistical_significance", "marker_required` with `marker: STAT:p_value` or `metric_threshold"),
    ("threshold", "metric_threshold"),
    ("min_count", "finding_count"),
    ("minCount", "finding_count"),
    ("findings", "finding_count"),
    ("file_exists", "artifact_exists"),
];

const OP_HABITS: [(&str, &str); 15] = [
    ("=>", ">="),
    ("\u{2265}", ">="),
    ("gte", ">="),
    ("ge", ">="),
    ("gt", ">"),
    ("=<", "<="),
    ("\u{2264}", "<="),
    ("lte", "<="),
    ("le", "<="),
    ("lt", "<"),
    ("=", "=="),
    ("eq", "=="),
    ("\u{2260}", "!="),
    ("<>", "!="),
    ("ne", "!="),
];

const KEY_HABITS: [(&str, &str); 11] = [
    ("name", "id"),
    ("type", "kind"),
    ("text", "description"),
    ("operator", "op"),
    ("comparison", "op"),
    ("threshold", "target"),
    ("value", "target"),
    ("pattern", "artifactPattern"),
    ("path", "artifactPattern"),
    ("count", "minCount"),
    ("units", "unit"),
];

impl Sort {
    /// Its keys, with an example value for each required key, shown if the key is missing.
    fn keys(self) -> &'static [(&'static str, Option<&'static str>)] {
        match self {
            Self::Metric => {
                &[("metric", Some("accuracy")), ("op", Some("\">=\"")), ("target", Some("0.9")), ("unit", None)]
            }
            Self::Marker => &[("marker", Some("METRIC:baseline_accuracy"))],
            Self::Artifact => &[("artifactPattern", Some("\"*.pkl\""))],
            Self::Findings => &[("minCount", Some("1"))],
        }
    }
}

/// Reads the entry `item`, the `number`th of the list. Returns the criterion if all of it is valid, and the faults, each
/// with the criterion's name. The id is returned whenever it is readable.
pub(super) fn read(item: &Value, number: usize, declared: &Declared<'_>) -> ReadCriterion {
    let YamlKind::Mapping(entries) = &item.kind else {
        let fault = (item.kind != YamlKind::Refused).then(|| not_a_map(item, number));
        return ReadCriterion { criterion: None, id: None, faults: fault.into_iter().collect() };
    };
    let mut fields = Fields::new(item.at, entries);
    let criterion = criterion(&mut fields, declared);
    let id = fields.entry("id").and_then(|entry| Some((word(entry).ok()?, entry.value.at)));
    let whose = match &id {
        Some((id, _)) => format!("criterion `{}`", echo(id)),
        None => format!("criterion {number}"),
    };
    let faults = fields.faults.into_iter().map(|fault| named(fault, &whose)).collect();
    ReadCriterion { criterion: criterion.filter(|_| fields.is_whole), id, faults }
}

pub(super) struct ReadCriterion {
    /// The criterion, if it has no fault.
    pub(super) criterion: Option<Criterion>,
    /// Its id and place, if readable.
    pub(super) id: Option<(String, Position)>,
    pub(super) faults: Vec<Fault>,
}

fn named(fault: Fault, whose: &str) -> Fault {
    let (detail, message) = (format!("{whose}: {}", fault.detail), format!("{whose}: {}", fault.message));
    Fault { detail, message, ..fault }
}

fn not_a_map(item: &Value, number: usize) -> Fault {
    let message = format!("entry {number} of `acceptance_criteria` is {}, not a map", item.describe());
    let help = "begin it with `- id:` and indent its other keys below `id`";
    Fault::new(item.at, "criterion", message, help).about(&number.to_string())
}

/// The criterion in `fields`, if all of it is readable.
fn criterion(fields: &mut Fields<'_>, declared: &Declared<'_>) -> Option<Criterion> {
    let id = fields.needed("id", "AC1", word);
    let sort = fields.needed("kind", "metric_threshold", |entry| one_of(entry, &SORTS, &SORT_HABITS));
    closed(fields, sort);
    let description = fields.optional("description", |entry| text(entry, MAX_PROSE));
    let scenario = fields.optional("scenario", |entry| scenario(entry, declared));
    let kind = kind(fields, sort?)?;
    Some(Criterion { id: id?, description, scenario, kind, at: fields.at })
}

fn kind(fields: &mut Fields<'_>, sort: Sort) -> Option<CriterionKind> {
    match sort {
        Sort::Metric => {
            let metric = own(fields, sort, "metric", metric);
            let op = own(fields, sort, "op", op);
            let target = own(fields, sort, "target", number);
            let unit = fields.optional("unit", unit_of);
            Some(CriterionKind::MetricThreshold { metric: metric?, op: op?, target: target?, unit })
        }
        Sort::Marker => own(fields, sort, "marker", marker).map(|marker| CriterionKind::MarkerRequired { marker }),
        Sort::Artifact => {
            own(fields, sort, "artifactPattern", pattern).map(|pattern| CriterionKind::ArtifactExists { pattern })
        }
        Sort::Findings => {
            let count = |entry: &YamlEntry| whole(entry, &(0..=u64::MAX));
            own(fields, sort, "minCount", count).map(|min_count| CriterionKind::FindingCount { min_count })
        }
    }
}

/// A required key of `sort`.
fn own<'v, T>(
    fields: &mut Fields<'v>,
    sort: Sort,
    key: &'static str,
    read: impl Fn(&'v YamlEntry) -> Valued<T>,
) -> Option<T> {
    let example = sort.keys().iter().find(|(name, _)| *name == key).and_then(|(_, example)| *example);
    fields.needed(key, example.unwrap_or("\u{2026}"), read)
}

/// A fault for every key that the kind does not have; for an unknown kind, for every key that no kind has.
fn closed(fields: &mut Fields<'_>, sort: Option<Sort>) {
    let all: Vec<&str> = SORTS.iter().flat_map(|(_, sort)| sort.keys()).map(|(key, _)| *key).collect();
    let own: Vec<&str> = sort.map_or(all.clone(), |sort| sort.keys().iter().map(|(key, _)| *key).collect());
    let known: Vec<&str> = COMMON.iter().copied().chain(own).collect();
    for entry in fields.entries.iter().filter(|entry| !known.contains(&&*entry.key)) {
        let of_another = all.contains(&&*entry.key);
        let fault = if of_another { foreign(entry, &known) } else { unknown_key(entry, &known, &KEY_HABITS) };
        fields.fault(Some(fault));
    }
}

fn foreign(entry: &YamlEntry, known: &[&str]) -> Fault {
    let message = format!("`{}` is a key of another kind", entry.key);
    let help = format!("remove it, or correct `kind`; this one has {}", known.join(", "));
    Fault::new(entry.at, "foreign-key", message, help).about(&entry.key)
}

fn scenario(entry: &YamlEntry, declared: &Declared<'_>) -> Valued<String> {
    let name = word(entry)?;
    if let Some(known) = declared.names.iter().find(|known| nfc(known) == nfc(&name)) {
        return Ok((*known).to_owned());
    }
    if !declared.are_all {
        // an unreadable entry may declare this scenario, and has its own problem
        return Err(None);
    }
    let help = match nearest(&name, declared.names.iter().copied()) {
        Some(meant) => format!("did you mean `{}`?", echo(meant)),
        None => "name a scenario of this file, or remove the key to read all of them".to_owned(),
    };
    Err(wrong(entry, format!("`scenario` names `{}`, which this file does not declare", echo(&name)), help))
}

fn metric(entry: &YamlEntry) -> Valued<String> {
    let name = word(entry)?;
    metric_name(name.strip_prefix("METRIC:").unwrap_or(&name)).ok_or_else(|| {
        let message = format!("`metric` is `{}`, which no marker can name", echo(&name));
        wrong(
            entry,
            message,
            "write the name alone, as in `[METRIC:name]`: at most 128 bytes, without `:`, `=`, `[`, `]`",
        )
    })
}

fn op(entry: &YamlEntry) -> Valued<Op> {
    if matches!(&entry.value.kind, YamlKind::Scalar(scalar) if scalar.quoted && is_blank(&scalar.text)) {
        let message = "`op` is empty: YAML reads `>` as the beginning of a text on the lines below".to_owned();
        return Err(wrong(entry, message, "quote it: op: \">\""));
    }
    one_of(entry, &Op::ALL.map(|op| (op.as_str(), op)), &OP_HABITS)
}

fn unit_of(entry: &YamlEntry) -> Valued<String> {
    let name = word(entry)?;
    unit(&name).map(str::to_owned).ok_or_else(|| {
        let message = format!("`unit` is `{}`, which is no unit", echo(&name));
        wrong(
            entry,
            message,
            "write one word of letters, `%`, `/` and `\u{b0}`, as the output has it behind the number",
        )
    })
}

fn marker(entry: &YamlEntry) -> Valued<MarkerName> {
    let name = word(entry)?;
    MarkerName::parse(name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name)).ok_or_else(
        || {
            let message = format!("`marker` is `{}`, which is no marker", echo(&name));
            wrong(entry, message, "write NAME or NAME:subtype, as in `[STAT:ci]`; other attributes do not matter")
        },
    )
}

fn pattern(entry: &YamlEntry) -> Valued<ArtifactPattern> {
    let text = word(entry)?;
    ArtifactPattern::parse(&text).map_err(|what| {
        let help = "write a glob below the node's directory or from the top of the repository: \"models/*.pkl\"";
        wrong(entry, format!("`artifactPattern` `{}` {what}", echo(&text)), help)
    })
}
