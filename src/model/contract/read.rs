//! Reads the contract around its criteria.

use super::criterion::{self, ReadCriterion};
use super::values::{Declared, Fields, Valued, one_of, text, unknown_key, whole};
use super::{Contract, Criterion, DEFAULT_ATTEMPTS, GoalType, KEY, MAX_ATTEMPTS, MAX_CRITERIA, VERSION};
use crate::model::ids::nfc;
use crate::model::scenario::fields::MAX_PROSE;
use crate::model::source::{Fault, Position};
use crate::text::escape::echo;
use crate::text::yaml::{Value, YamlEntry, YamlKind};
use std::collections::HashMap;

const KEYS: [&str; 5] = ["version", "goal_text", "goal_type", "max_goal_attempts", "acceptance_criteria"];

const KEY_HABITS: [(&str, &str); 9] = [
    ("goal", "goal_text"),
    ("text", "goal_text"),
    ("goalText", "goal_text"),
    ("type", "goal_type"),
    ("goalType", "goal_type"),
    ("attempts", "max_goal_attempts"),
    ("max_attempts", "max_goal_attempts"),
    ("maxAttempts", "max_goal_attempts"),
    ("criteria", "acceptance_criteria"),
];

const TYPE_HABITS: [(&str, &str); 5] = [
    ("classification", "ml_classification"),
    ("regression", "ml_regression"),
    ("hypothesis_test", "statistical_test"),
    ("statistics", "statistical"),
    ("exploratory", "eda"),
];

/// Reads the value of `goal_contract:`. The contract is `None` unless all of it is valid.
pub(in crate::model) fn read(entry: &YamlEntry, declared: &Declared<'_>) -> (Option<Contract>, Vec<Fault>) {
    let YamlKind::Mapping(entries) = &entry.value.kind else {
        let fault = (entry.value.kind != YamlKind::Refused).then(|| not_a_map(entry));
        return (None, fault.into_iter().collect());
    };
    let mut fields = Fields::new(entry.at, entries);
    let contract = contract(&mut fields, declared);
    (contract.filter(|_| fields.is_whole), fields.faults)
}

fn not_a_map(entry: &YamlEntry) -> Fault {
    let message = format!("`{KEY}` is {}, not a map", entry.value.describe());
    let help = format!("write its keys below it, indented: {}", KEYS.join(", "));
    Fault::new(entry.at, "contract", message, help)
}

fn contract(fields: &mut Fields<'_>, declared: &Declared<'_>) -> Option<Contract> {
    for entry in fields.entries.iter().filter(|entry| !KEYS.contains(&&*entry.key)) {
        fields.fault(Some(unknown_key(entry, &KEYS, &KEY_HABITS)));
    }
    let version = u64::from(VERSION);
    let version = fields.needed("version", "1", |entry| whole(entry, &(version..=version)));
    let goal_text = fields.needed("goal_text", "what is to be reached", |entry| text(entry, MAX_PROSE));
    let goal_type = fields.optional("goal_type", |entry| one_of(entry, &GoalType::SPELLINGS, &TYPE_HABITS));
    let attempts = 1..=u64::from(MAX_ATTEMPTS);
    let attempts = fields.optional("max_goal_attempts", |entry| whole(entry, &attempts));
    let criteria = criteria(fields, declared);
    version?;
    Some(Contract {
        goal_text: goal_text?,
        goal_type: goal_type.unwrap_or_default(),
        max_goal_attempts: attempts.and_then(|number| u32::try_from(number).ok()).unwrap_or(DEFAULT_ATTEMPTS),
        criteria,
        at: fields.at,
    })
}

fn criteria(fields: &mut Fields<'_>, declared: &Declared<'_>) -> Vec<Criterion> {
    let items = fields.needed("acceptance_criteria", "[{id: AC1, kind: finding_count, minCount: 1}]", list);
    let mut ids: HashMap<String, u32> = HashMap::new();
    let mut criteria = Vec::new();
    for (index, item) in items.unwrap_or_default().iter().enumerate() {
        let ReadCriterion { criterion, id, faults } = criterion::read(item, index + 1, declared);
        fields.is_whole &= criterion.is_some();
        fields.faults.extend(faults);
        criteria.extend(criterion);
        let Some((id, at)) = id else { continue };
        if let Some(first) = ids.get(&nfc(&id)) {
            fields.fault(Some(duplicate_id(&id, at, *first)));
        } else {
            ids.insert(nfc(&id), at.line);
        }
    }
    criteria
}

fn list(entry: &YamlEntry) -> Valued<&[Value]> {
    let help = "write one entry per criterion, each beginning with `- id:`";
    let fault = |kind, message: String| Err(Some(Fault::new(entry.at, kind, message, help)));
    match &entry.value.kind {
        YamlKind::Sequence(items) if items.is_empty() => {
            fault("empty-list", "`acceptance_criteria` is an empty list: a goal that asks for nothing".to_owned())
        }
        YamlKind::Sequence(items) if items.len() > MAX_CRITERIA => {
            fault("limit", format!("{} criteria; the limit is {MAX_CRITERIA}", items.len()))
        }
        YamlKind::Sequence(items) => Ok(items),
        YamlKind::Refused => Err(None),
        _ => fault("not-a-list", format!("`acceptance_criteria` is {}, not a list", entry.value.describe())),
    }
}

fn duplicate_id(id: &str, at: Position, first: u32) -> Fault {
    let shown = echo(id);
    let message = format!("duplicate id `{shown}`: first on line {first}, again on line {}", at.line);
    Fault::new(at, "duplicate-id", message, "give each criterion its own id").about(id)
}
