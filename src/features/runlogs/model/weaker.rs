//! Finds requirements of a profile that another version of it drops. Pure.

use super::profile::{EventSpec, FieldSpec, LogPosition, PhaseSpec, Profile};
use crate::text::escape::echo;

/// How `new` is weaker than `old`, one sentence each; empty if nothing is weaker. A changed expression or rule counts as
/// weaker, because the two cannot be compared.
pub(crate) fn lowered(old: &Profile, new: &Profile) -> Vec<String> {
    let mut found = Vec::new();
    for event in &old.events {
        match new.event(&event.name) {
            Some(now) => found.extend(event_lowered(event, now)),
            None => found.push(format!("the event {} is no longer described", echo(&event.name))),
        }
    }
    for position in LogPosition::ALL {
        let at = |profile: &Profile| profile.at(position).map(|event| event.name.clone());
        if at(old) != at(new) {
            found.push(format!("another event stands {}", position.as_str()));
        }
    }
    for phase in &old.phases {
        match new.phase(phase.n) {
            Some(now) => found.extend(phase_lowered(phase, now)),
            None => found.push(format!("phase {} is gone", phase.n)),
        }
    }
    if rules_lost(&old.end, &new.end) {
        found.push("the end of a run asks for less, or for something else".into());
    }
    found
}

fn event_lowered(old: &EventSpec, new: &EventSpec) -> Vec<String> {
    let name = echo(&old.name);
    let mut found = Vec::new();
    if old.once && !new.once || old.per_phase && !new.per_phase {
        found.push(format!("{name} may stand there more than once"));
    }
    if format!("{:?}", old.excludes) != format!("{:?}", new.excludes) {
        found.push(format!("what {name} excludes is another"));
    }
    found.extend(fields_lowered(&old.fields, &new.fields).map(|what| format!("{name}: {what}")));
    found
}

fn phase_lowered(old: &PhaseSpec, new: &PhaseSpec) -> Vec<String> {
    let mut found = Vec::new();
    if rules_lost(&old.requires, &new.requires) {
        found.push(format!("phase {} asks for less, or for something else", old.n));
    }
    found.extend(fields_lowered(&old.counts, &new.counts).map(|what| format!("phase {}: {what}", old.n)));
    found
}

fn fields_lowered<'f>(old: &'f [FieldSpec], new: &'f [FieldSpec]) -> impl Iterator<Item = String> + 'f {
    old.iter().filter_map(|field| {
        let name = echo(&field.name);
        match new.iter().find(|now| now.name == field.name) {
            None => Some(format!("the field {name} is no longer described")),
            Some(now) => is_looser(field, now).then(|| format!("the field {name} is checked less strictly")),
        }
    })
}

fn is_looser(old: &FieldSpec, new: &FieldSpec) -> bool {
    let values = new.one_of.is_empty() && !old.one_of.is_empty()
        || !old.one_of.is_empty() && new.one_of.iter().any(|value| !old.one_of.contains(value));
    let range = old.min.is_some_and(|min| new.min.is_none_or(|now| now < min))
        || old.max.is_some_and(|max| new.max.is_none_or(|now| now > max));
    let pattern =
        old.pattern.as_ref().is_some_and(|old| new.pattern.as_ref().is_none_or(|new| new.as_str() != old.as_str()));
    let kind = old.kind != new.kind || old.items.is_some() && old.items != new.items;
    let presence = old.required && !new.required || !old.nullable && new.nullable;
    values || range || pattern || kind || presence
}

/// Whether `new` lacks a rule of `old` in its exact form.
fn rules_lost(old: &[super::profile::ArtifactRule], new: &[super::profile::ArtifactRule]) -> bool {
    let spelled: Vec<String> = new.iter().map(|rule| format!("{rule:?}")).collect();
    old.iter().any(|rule| !spelled.contains(&format!("{rule:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::runlogs::model::parse_profile;

    const PROFILE: &str = r#"{"name":"p","schemaVersion":"1","events":{"_index":{"position":"first"},
        "go":{"position":"second","once":true,"fields":{"host":{"type":"string","required":true,"pattern":"^a"},
        "n":{"type":"integer","min":1,"max":9},"way":{"type":"string","enum":["a","b"]}}},
        "phase_start":{},"phase_end":{},"end":{"position":"last"}},
        "phases":[{"n":1,"name":"one","requires":[{"file":"a"}]},{"n":2,"name":"two"}],
        "end":{"requires":[{"glob":"x/*","min":2}]}}"#;

    fn told(from: &str, to: &str) -> Vec<String> {
        assert!(PROFILE.contains(from), "{from}");
        let read = |text: &str| parse_profile("p", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        lowered(&read(PROFILE), &read(&PROFILE.replacen(from, to, 1)))
    }

    #[test]
    fn every_demand_that_a_profile_drops_is_named() {
        for (from, to, said) in [
            ("\"required\":true", "\"required\":false", "go: the field host is checked"),
            ("\"pattern\":\"^a\"", "\"pattern\":\"^.\"", "go: the field host is checked"),
            ("\"min\":1,\"max\":9", "\"max\":9", "go: the field n is checked"),
            ("\"max\":9", "\"max\":10", "go: the field n is checked"),
            ("[\"a\",\"b\"]", "[\"a\",\"b\",\"c\"]", "go: the field way is checked"),
            ("\"type\":\"integer\"", "\"type\":\"number\"", "go: the field n is checked"),
            ("\"once\":true,", "", "go may stand there more than once"),
            (",\"end\":{\"position\":\"last\"}", "", "the event end is no longer described"),
            (
                "\"end\":{\"position\":\"last\"}",
                "\"end\":{},\"note\":{\"position\":\"last\"}",
                "another event stands last",
            ),
            (",{\"n\":2,\"name\":\"two\"}", "", "phase 2 is gone"),
            ("[{\"file\":\"a\"}]", "[]", "phase 1 asks for less"),
            ("[{\"glob\":\"x/*\",\"min\":2}]", "[{\"glob\":\"x/*\"}]", "the end of a run asks for less"),
        ] {
            let found = told(from, to);
            assert!(found.iter().any(|sentence| sentence.starts_with(said)), "{from} -> {to}: {found:?}");
        }
    }

    #[test]
    fn what_asks_for_more_is_not_weaker() {
        for (from, to) in [
            ("\"max\":9", "\"max\":8"),
            ("[\"a\",\"b\"]", "[\"a\"]"),
            ("\"name\":\"two\"", "\"name\":\"two\",\"requires\":[{\"file\":\"b\"}]"),
            ("[{\"file\":\"a\"}]", "[{\"file\":\"a\"},{\"file\":\"b\"}]"),
            ("\"phase_start\":{}", "\"phase_start\":{\"once\":true},\"note\":{}"),
            ("\"name\":\"one\"", "\"name\":\"first\""),
        ] {
            assert_eq!(told(from, to), Vec::<String>::new(), "{from} -> {to}");
        }
    }
}
