//! The strict reader of `spexcode.json`. Every message names line, column, the key and the expected type.

use super::values::{
    Read, bad, bad_key, boolean, choice, directory, document, list, members, optional_members, string, whole_number,
    word, words,
};
use super::{AgentsConfig, CONFIG_FILE, Config, Segments, Slip, feature_settings, needs};
use crate::error::{Error, Result};
use crate::finding::{Level, RuleId};
use crate::model::glob::Globs;
use crate::model::ledger::EvidenceKind;
use crate::text::escape::echo;
use crate::text::json::{self, Json, JsonValue, Member};
use crate::text::nearest::nearest;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::ops::Range;

/// Longest accepted configuration in bytes.
pub const MAX_CONFIG: usize = 256 << 10;

/// The keys of the core inside `yatsu`, each with its place among those of features. With them it is a closed set, unlike
/// `lint`, which other tools share.
const YATSU_KEYS: [(u16, &str); 14] = [
    (5, "needs"),
    (10, "roots"),
    (20, "rules"),
    (30, "evaluators"),
    (40, "evidenceFor"),
    (50, "stampContent"),
    (60, "allowInTree"),
    (70, "protect"),
    (75, "redact"),
    (90, "budgets"),
    (120, "agents"),
    (140, "segments"),
    (160, "coverageIgnore"),
    (170, "exclude"),
];

/// The place of a key of the core among all keys inside `yatsu`; the last one for any other word.
pub(crate) fn rank(key: &str) -> u16 {
    YATSU_KEYS.iter().find(|(_, known)| *known == key).map_or(u16::MAX, |(rank, _)| *rank)
}

/// All keys inside `yatsu`.
fn yatsu_keys() -> Vec<&'static str> {
    let of_features = feature_settings().into_iter().map(|settings| (settings.rank, settings.key));
    let mut ranked: Vec<(u16, &str)> = YATSU_KEYS.into_iter().chain(of_features).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, key)| key).collect()
}

/// The known keys at the top level.
const TOP_KEYS: [&str; 3] = ["lint", "mainBranch", "yatsu"];

const LINT_KEYS: [&str; 6] =
    ["scenarioTags", "maxOwners", "sourceExtensions", "governedRoots", "sourceIncludeGlobs", "sourceExcludeGlobs"];

/// The configuration in `bytes`, defaults filled in.
///
/// # Errors
/// [`crate::error::ErrorKind::Unchecked`] if `yatsu.needs` asks for a newer program.
/// [`crate::error::ErrorKind::Config`] for malformed JSON, a wrong type, an unknown key inside `yatsu`, a repeated key, an
/// unusable glob, path, rule or level: `spexcode.json:line:col: what`.
pub fn parse(bytes: &[u8]) -> Result<Config> {
    parse_with(bytes, super::agents::read)
}

/// The same for the hooks of a coding agent's harness: a wrong value of `yatsu.agents` is its default.
///
/// # Errors
/// As [`parse`], for every other key.
pub fn parse_for_agents(bytes: &[u8]) -> Result<Config> {
    parse_with(bytes, super::agents::read_leniently)
}

/// `yatsu.needs` comes first: a configuration for a later program may hold anything else.
fn parse_with(bytes: &[u8], agents: ReadAgents) -> Result<Config> {
    let read_for_this_program = |json: &Json<'_>| {
        let needs = needs::read(json)?;
        match needs.and_then(|needs| needs.refused_by(env!("CARGO_PKG_VERSION"))) {
            Some(older) => Ok(Err(older)),
            None => Ok(Ok(Config { needs, ..read(json, agents)? })),
        }
    };
    document("the file", MAX_CONFIG, bytes, read_for_this_program, fail)?
}

/// Reads `yatsu.agents`.
type ReadAgents = fn(Option<&Json<'_>>) -> Read<AgentsConfig>;

fn fail(text: &str, offset: usize, message: &str) -> Error {
    let (line, column) = json::line_column(text, offset);
    Error::config(format!("{CONFIG_FILE}:{line}:{column}: {message}"))
        .hint(format!("correct {CONFIG_FILE}; `yatsu-hook config check` reads it again"))
        .quoting(text.as_bytes(), line, column)
}

fn read(json: &Json<'_>, agents: ReadAgents) -> Read<Config> {
    let mut config = Config::default();
    members("the configuration", json)?;
    if let Some(lint) = json.get("lint") {
        members("lint", lint)?;
        read_lint(lint, &mut config)?;
    }
    if let Some(branch) = json.get("mainBranch") {
        config.main_branch = Some(word("mainBranch", branch)?);
    }
    if let Some(yatsu) = json.get("yatsu") {
        let known = yatsu_keys();
        let unknown = members("yatsu", yatsu)?.iter().find(|(key, _)| !known.contains(&&**key));
        if let Some((key, value)) = unknown {
            return Err(bad_key(value, format!("yatsu.{} is no setting; there are {}", echo(key), known.join(", "))));
        }
        read_yatsu(yatsu, &mut config)?;
        config.agents = agents(yatsu.get("agents"))?;
    }
    config.given = given(json);
    config.slips = slips(json);
    Ok(config)
}

/// The settings that the file contains. An object inside `yatsu` is listed by its members, for example
/// `yatsu.rules.node-id`.
fn given(json: &Json<'_>) -> BTreeSet<String> {
    let mut given = BTreeSet::new();
    if json.get("mainBranch").is_some() {
        given.insert("mainBranch".to_owned());
    }
    for (key, _) in json.get("lint").map_or(&[][..], entries) {
        if LINT_KEYS.contains(&&**key) {
            given.insert(format!("lint.{key}"));
        }
    }
    for (key, value) in json.get("yatsu").map_or(&[][..], entries) {
        match value.value {
            JsonValue::Object(_) => given.extend(entries(value).iter().map(|(name, _)| format!("yatsu.{key}.{name}"))),
            _ => given.extend([format!("yatsu.{key}")]),
        }
    }
    given
}

/// Unknown keys at the top level and in `lint` that resemble a setting, at any level.
fn slips(json: &Json<'_>) -> Vec<Slip> {
    let places = [("", entries(json), &TOP_KEYS[..]), ("lint.", json.get("lint").map_or(&[][..], entries), &LINT_KEYS)];
    let mut found = Vec::new();
    for (prefix, members, known) in places {
        for (key, _) in members.iter().filter(|(key, _)| !known.contains(&&**key)) {
            let here = nearest(key, known.iter().copied()).map(|meant| format!("{prefix}{meant}"));
            found.extend(here.or_else(|| elsewhere(key)).map(|meant| Slip { key: format!("{prefix}{key}"), meant }));
        }
    }
    found
}

/// The setting with this name in another place.
fn elsewhere(key: &str) -> Option<String> {
    let yatsu_keys = yatsu_keys();
    let all = [("", &TOP_KEYS[..]), ("lint.", &LINT_KEYS), ("yatsu.", &yatsu_keys)];
    let names = all.into_iter().flat_map(|(prefix, keys)| keys.iter().map(move |name| (prefix, *name)));
    let mut same = names.filter(|(_, name)| name.eq_ignore_ascii_case(key));
    same.next().map(|(prefix, name)| format!("{prefix}{name}"))
}

fn entries<'j, 't>(value: &'j Json<'t>) -> &'j [Member<'t>] {
    match &value.value {
        JsonValue::Object(members) => members,
        _ => &[],
    }
}

fn read_lint(lint: &Json<'_>, config: &mut Config) -> Read<()> {
    if let Some(value) = lint.get("scenarioTags") {
        config.scenario_tags = words("lint.scenarioTags", value)?;
    }
    if let Some(value) = lint.get("maxOwners") {
        config.max_owners = whole_number("lint.maxOwners", value)?;
    }
    if let Some(value) = lint.get("sourceExtensions") {
        let given = words("lint.sourceExtensions", value)?;
        let bare = given.iter().map(|text| text.trim_start_matches('.').to_owned());
        config.source_extensions = Some(bare.collect());
    }
    if let Some(value) = lint.get("governedRoots") {
        config.governed_roots = directories("lint.governedRoots", value)?;
    }
    config.source_globs = globs("lint.sourceIncludeGlobs", lint.get("sourceIncludeGlobs"))?;
    config.source_exclude = globs("lint.sourceExcludeGlobs", lint.get("sourceExcludeGlobs"))?;
    Ok(())
}

fn read_yatsu(yatsu: &Json<'_>, config: &mut Config) -> Read<()> {
    if let Some(value) = yatsu.get("roots") {
        config.roots = roots(value)?;
    }
    for (rule, value) in optional_members("yatsu.rules", yatsu.get("rules"))? {
        config.rules.insert(rule_id(rule, value)?, level(rule, value)?);
    }
    for (name, value) in optional_members("yatsu.evaluators", yatsu.get("evaluators"))? {
        config.evaluators.insert(evaluator_name(name, value)?, version(name, value)?);
    }
    for (tag, value) in optional_members("yatsu.evidenceFor", yatsu.get("evidenceFor"))? {
        config.evidence_for.insert(tag.to_string(), kinds(tag, value)?);
    }
    if let Some(value) = yatsu.get("stampContent") {
        config.stamp_content = boolean("yatsu.stampContent", value)?;
    }
    config.allow_in_tree = globs("yatsu.allowInTree", yatsu.get("allowInTree"))?;
    config.protect = globs("yatsu.protect", yatsu.get("protect"))?;
    if let Some(value) = yatsu.get("redact") {
        config.redact = redact(value)?;
    }
    read_features(yatsu, config, 0..rank("budgets"))?;
    config.budgets = super::budgets::read(yatsu.get("budgets"))?;
    read_features(yatsu, config, rank("budgets")..rank("segments"))?;
    if let Some(value) = yatsu.get("segments") {
        config.segments = choice("yatsu.segments", value, Segments::parse, "auto, always or never")?;
    }
    read_features(yatsu, config, rank("segments")..u16::MAX)?;
    config.coverage_ignore = globs("yatsu.coverageIgnore", yatsu.get("coverageIgnore"))?;
    config.exclude = globs("yatsu.exclude", yatsu.get("exclude"))?;
    Ok(())
}

/// Reads the settings of the features with these ranks. Of two faults the first one by rank is reported.
fn read_features(yatsu: &Json<'_>, config: &mut Config, ranks: Range<u16>) -> Read<()> {
    for settings in feature_settings().into_iter().filter(|settings| ranks.contains(&settings.rank)) {
        yatsu.get(settings.key).map_or(Ok(()), |value| (settings.read)(value, config))?;
    }
    Ok(())
}

fn redact(value: &Json<'_>) -> Read<bool> {
    let parse = |text: &str| (text == "allow" || text == "refuse").then_some(text == "allow");
    choice("yatsu.redact", value, parse, "allow or refuse")
}

fn roots(value: &Json<'_>) -> Read<Vec<RepoPath>> {
    let items = list("yatsu.roots", value)?;
    if items.is_empty() {
        return Err(bad(value, "yatsu.roots must name at least one directory".into()));
    }
    items.iter().map(|item| directory("yatsu.roots", item)).collect()
}

fn directories(key: &str, value: &Json<'_>) -> Read<Vec<RepoPath>> {
    list(key, value)?.iter().map(|item| directory(key, item)).collect()
}

fn rule_id(text: &str, value: &Json<'_>) -> Read<RuleId> {
    RuleId::parse(text).ok_or_else(|| {
        let known: Vec<&str> = RuleId::ALL.into_iter().map(RuleId::as_str).collect();
        bad_key(value, format!("yatsu.rules: \"{}\" is no rule; the rules are {}", echo(text), known.join(", ")))
    })
}

fn level(rule: &str, value: &Json<'_>) -> Read<Option<Level>> {
    let key = format!("yatsu.rules.{rule}");
    match string(&key, value)? {
        "off" => Ok(None),
        text => Level::parse(text)
            .map(Some)
            .ok_or_else(|| bad(value, format!("{key} must be error, warning, info or off, not \"{}\"", echo(text)))),
    }
}

fn evaluator_name(name: &str, value: &Json<'_>) -> Read<String> {
    if name.trim().is_empty() || name.contains('@') {
        return Err(bad_key(
            value,
            format!("yatsu.evaluators: \"{}\" is no name; a name is not blank and has no @", echo(name)),
        ));
    }
    Ok(name.to_owned())
}

fn version(name: &str, value: &Json<'_>) -> Read<String> {
    let key = format!("yatsu.evaluators.{}", echo(name));
    let version = word(&key, value)?;
    if version.contains('@') { Err(bad(value, format!("{key} must not contain @"))) } else { Ok(version) }
}

fn kinds(tag: &str, value: &Json<'_>) -> Read<Vec<EvidenceKind>> {
    let key = format!("yatsu.evidenceFor.{}", echo(tag));
    let items = list(&key, value)?;
    if items.is_empty() {
        return Err(bad(value, format!("{key} must name at least one of image, transcript, video, data")));
    }
    let kind = |item| {
        let text = string(&key, item)?;
        let unknown = || bad(item, format!("{key} must list image, transcript, video or data, not \"{}\"", echo(text)));
        EvidenceKind::parse(text).ok_or_else(unknown)
    };
    items.iter().map(kind).collect()
}

fn globs(key: &str, value: Option<&Json<'_>>) -> Read<Globs> {
    let Some(value) = value else { return Ok(Globs::default()) };
    let items = list(key, value)?;
    let texts: Vec<String> = items.iter().map(|item| glob_text(key, item)).collect::<Read<_>>()?;
    Globs::compile(texts.clone())
        .map_err(|(index, problem)| bad(&items[index], format!("{key}: \"{}\" {problem}", echo(&texts[index]))))
}

/// Paths are matched as git spells them, so a leading `./` or a trailing `/` would never match.
fn glob_text(key: &str, item: &Json<'_>) -> Read<String> {
    let text = word(key, item)?;
    let spelled = text.trim_start_matches("./").trim_end_matches('/');
    if spelled.is_empty() {
        Err(bad(item, format!("{key}: \"{}\" matches nothing", echo(&text))))
    } else {
        Ok(spelled.to_owned())
    }
}
