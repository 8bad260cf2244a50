//! `yatsu.budgets`: cost limits of readings and runs (docs/claims.md, "Budgets").

use super::values::{BadValue, Read, bad, bad_key, optional_members, wrong_type};
use crate::model::budgets::{BudgetScope, Budgets, RequireUsage};
use crate::model::ledger::Timestamp;
use crate::model::usage::Metric;
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};

/// The key that requires usage from every reading.
const REQUIRE_USAGE: &str = "requireUsage";

/// The limits in `yatsu.budgets`.
pub(super) fn read(value: Option<&Json<'_>>) -> Read<Budgets> {
    let mut budgets = Budgets::default();
    for (key, value) in optional_members("yatsu.budgets", value)? {
        let named = format!("yatsu.budgets.{key}");
        match Budgets::KEYS.into_iter().find(|(scope, metric)| scope.key(*metric) == *key) {
            Some((scope, metric)) => budgets.set(scope, metric, amount(&named, value)?),
            None if *key == REQUIRE_USAGE => budgets.require_usage = require_usage(&named, value)?,
            None => return Err(unknown(key, value)),
        }
    }
    Ok(budgets)
}

fn unknown(key: &str, value: &Json<'_>) -> BadValue {
    let keys: Vec<&str> = Budgets::KEYS.iter().map(|(scope, metric)| scope.key(*metric)).collect();
    bad_key(value, format!("yatsu.budgets.{} is no setting; there are {}, {REQUIRE_USAGE}", echo(key), keys.join(", ")))
}

/// A limit of 0 is valid: no cost is allowed.
fn amount(key: &str, value: &Json<'_>) -> Read<u64> {
    let number = value.number();
    number.ok_or_else(|| wrong_type(key, &format!("a whole number from 0 to {}", u64::MAX), value))
}

fn require_usage(key: &str, value: &Json<'_>) -> Read<RequireUsage> {
    let expected = "true, false or the time from which on, as 2026-01-31T00:00:00.000Z";
    match &value.value {
        JsonValue::Bool(true) => Ok(RequireUsage::Always),
        JsonValue::Bool(false) => Ok(RequireUsage::No),
        JsonValue::String(text) => Timestamp::parse(text)
            .map(RequireUsage::From)
            .ok_or_else(|| bad(value, format!("{key} must be {expected}, not \"{}\"", echo(text)))),
        _ => Err(wrong_type(key, expected, value)),
    }
}

/// How `new` is weaker than `old`, one sentence each.
pub(super) fn lowered(old: &Budgets, new: &Budgets) -> Vec<String> {
    let mut found: Vec<String> =
        Budgets::KEYS.into_iter().filter_map(|(scope, metric)| raised(scope, metric, old, new)).collect();
    let named = format!("yatsu.budgets.{REQUIRE_USAGE}");
    match (old.require_usage, new.require_usage) {
        (RequireUsage::No, _) | (_, RequireUsage::Always) => {}
        (_, RequireUsage::No) => {
            found.push(format!("{named} is switched off: a reading without usage spends without limit"))
        }
        (RequireUsage::From(was), RequireUsage::From(now)) if now <= was => {}
        (_, RequireUsage::From(now)) => {
            found.push(format!("{named} asks only from {now} on: earlier readings without usage spent without limit"));
        }
    }
    found
}

fn raised(scope: BudgetScope, metric: Metric, old: &Budgets, new: &Budgets) -> Option<String> {
    let (key, was) = (scope.key(metric), old.of(scope).get(metric)?);
    match new.of(scope).get(metric) {
        None => Some(format!("yatsu.budgets.{key} is removed: it was {was}")),
        Some(now) if now > was => Some(format!("yatsu.budgets.{key} is raised from {was} to {now}")),
        Some(_) => None,
    }
}
