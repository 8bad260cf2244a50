//! `config show` and `config check`: the settings, the origin of each value, and probable mistakes.

use crate::app::judge::branch::find_main;
use crate::app::judge::snapshot;
use crate::error::Result;
use crate::finding::{Level, RuleId, SettingValue};
use crate::model::budgets::{BudgetScope, Budgets, RequireUsage};
use crate::model::config::{Config, FeatureSettings, ShownSetting, Slip, feature_settings, rank};
use crate::model::usage::Metric;
use crate::model::workspace;
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::report::view::config::{Setting, Settings, ValueSource};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// The configuration of the working tree (of HEAD in a bare repository), defaults filled in.
///
/// # Errors
/// Configuration, with line and column, if the file is invalid.
pub(crate) fn settings(repo: &Repo) -> Result<Settings> {
    let view = snapshot::all(repo)?.view;
    let config = workspace::read_config(&*view)?;
    let path = RepoPath::from_git(CONFIG_FILE);
    let file = view.kind(&path)?.is_some().then_some(CONFIG_FILE);
    let main = find_main(repo, &config)?.map(|(name, _)| name);
    Ok(Settings { file, warnings: warnings(&*view, &config, main.as_deref())?, settings: listed(&config, main) })
}

/// Most values that [`default_of`] lists.
const NAMED: usize = 6;

/// The default of a setting in words, e.g. `3`, `.spec`, or for a group its members, e.g. `grace 60s`; else `none`.
pub(crate) fn default_of(key: &str) -> String {
    let settings = listed(&Config::default(), None);
    let group = format!("{key}.");
    let member = |setting: &Setting| {
        let name = setting.key.strip_prefix(&group)?;
        Some(setting.value.words().into_iter().map(move |value| format!("{name} {value}")).collect::<Vec<_>>())
    };
    let own = settings.iter().find(|setting| setting.key == key).map(|setting| setting.value.words());
    let all = own.unwrap_or_else(|| settings.iter().filter_map(member).flatten().collect());
    match all.len() {
        0 => "none".to_owned(),
        1..=NAMED => all.join(", "),
        count => format!("{} and {} more: yatsu-hook config show", all[..NAMED].join(", "), count - NAMED),
    }
}

/// Whether `config show` lists `key`, for example `yatsu.claims.grace`.
pub(super) fn is_setting(key: &str) -> bool {
    listed(&Config::default(), None).iter().any(|setting| setting.key == key)
}

fn listed(config: &Config, main: Option<String>) -> Vec<Setting> {
    let list = |items: &[String]| SettingValue::List(items.to_vec());
    let needs = config.needs.map_or(SettingValue::Unset, |needs| SettingValue::Text(needs.to_string()));
    let mut found = vec![
        setting(config, "lint.scenarioTags", list(&config.scenario_tags)),
        setting(config, "lint.maxOwners", SettingValue::Number(config.max_owners as u64)),
        setting(
            config,
            "lint.sourceExtensions",
            SettingValue::List(config.source_extensions().into_iter().map(str::to_owned).collect()),
        ),
        setting(config, "lint.governedRoots", SettingValue::List(paths(&config.governed_roots))),
        setting(config, "lint.sourceIncludeGlobs", list(config.source_globs.text())),
        setting(config, "lint.sourceExcludeGlobs", list(config.source_exclude.text())),
        main_branch(config, main),
        setting(config, "yatsu.needs", needs),
        setting(config, "yatsu.roots", SettingValue::List(paths(&config.roots))),
    ];
    for rule in RuleId::ALL {
        let level = config.level(rule, rule.default_level()).map_or("off", Level::as_str);
        found.push(setting(config, &format!("yatsu.rules.{}", rule.as_str()), SettingValue::Text(level.into())));
    }
    for (name, version) in &config.evaluators {
        found.push(setting(config, &format!("yatsu.evaluators.{name}"), SettingValue::Text(version.clone())));
    }
    for (tag, kinds) in &config.evidence_for {
        let kinds = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
        found.push(setting(config, &format!("yatsu.evidenceFor.{tag}"), SettingValue::List(kinds)));
    }
    found.push(setting(config, "yatsu.stampContent", SettingValue::Switch(config.stamp_content)));
    let redact = if config.redact { "allow" } else { "refuse" };
    found.push(setting(config, "yatsu.redact", SettingValue::Text(redact.into())));
    let segments = setting(config, "yatsu.segments", SettingValue::Text(config.segments.as_str().into()));
    let mut by_key =
        vec![(rank("budgets"), budgets(config)), (rank("agents"), agents(config)), (rank("segments"), vec![segments])];
    by_key.extend(feature_settings().iter().map(|settings| (settings.rank, of_feature(config, settings))));
    by_key.sort_by_key(|(rank, _)| *rank);
    found.extend(by_key.into_iter().flat_map(|(_, settings)| settings));
    for (key, globs) in [
        ("yatsu.allowInTree", &config.allow_in_tree),
        ("yatsu.protect", &config.protect),
        ("yatsu.coverageIgnore", &config.coverage_ignore),
        ("yatsu.exclude", &config.exclude),
    ] {
        found.push(setting(config, key, list(globs.text())));
    }
    found
}

fn paths(paths: &[RepoPath]) -> Vec<String> {
    paths.iter().flat_map(|path| SettingValue::path(&path.to_string()).words()).collect()
}

fn budgets(config: &Config) -> Vec<Setting> {
    let budgets = &config.budgets;
    let limit = |(scope, metric): (BudgetScope, Metric)| {
        let value = budgets.of(scope).get(metric).map_or(SettingValue::Unset, SettingValue::Number);
        setting(config, &format!("yatsu.budgets.{}", scope.key(metric)), value)
    };
    let required = match budgets.require_usage {
        RequireUsage::No => SettingValue::Switch(false),
        RequireUsage::Always => SettingValue::Switch(true),
        RequireUsage::From(start) => SettingValue::Text(start.to_string()),
    };
    let required = setting(config, "yatsu.budgets.requireUsage", required);
    Budgets::KEYS.into_iter().map(limit).chain([required]).collect()
}

fn agents(config: &Config) -> Vec<Setting> {
    let agents = &config.agents;
    vec![
        setting(config, "yatsu.agents.stop", SettingValue::Text(agents.stop.as_str().into())),
        setting(config, "yatsu.agents.claims", SettingValue::Text(agents.claims.as_str().into())),
        setting(config, "yatsu.agents.observe", SettingValue::Text(agents.observe.as_str().into())),
        setting(config, "yatsu.agents.keepOutput", SettingValue::Switch(agents.keep_output)),
        setting(config, "yatsu.agents.require", SettingValue::List(agents.require.clone())),
    ]
}

fn of_feature(config: &Config, settings: &FeatureSettings) -> Vec<Setting> {
    let shown = |ShownSetting { key, member, value }| match member {
        Some(member) => of_tag(config, key, &member, value),
        None => setting(config, key, value),
    };
    (settings.shown)(config).into_iter().map(shown).collect()
}

/// The member for one tag of the setting `key`.
fn of_tag(config: &Config, key: &str, tag: &str, value: SettingValue) -> Setting {
    Setting { key: format!("{key}.{tag}"), ..setting(config, key, value) }
}

fn setting(config: &Config, key: &str, value: SettingValue) -> Setting {
    let origin = if config.given.contains(key) { ValueSource::File } else { ValueSource::Default(None) };
    Setting { key: key.to_owned(), value, origin }
}

/// The main branch, and the origin of its name.
fn main_branch(config: &Config, found: Option<String>) -> Setting {
    match &config.main_branch {
        Some(name) => setting(config, "mainBranch", SettingValue::Text(name.clone())),
        None => {
            let value = found.map_or(SettingValue::Unset, SettingValue::Text);
            let source =
                if value == SettingValue::Unset { "no origin/HEAD, main or master" } else { "found in this clone" };
            Setting { origin: ValueSource::Default(Some(source.into())), ..setting(config, "mainBranch", value) }
        }
    }
}

fn warnings(view: &dyn Tree, config: &Config, main: Option<&str>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if view.is_untracked(&RepoPath::from_git(CONFIG_FILE))? {
        found.push("git does not track the file, so the hooks, which judge what is committed, do not see it".into());
    }
    for Slip { key, meant } in &config.slips {
        found.push(format!("{key} is no known setting and is not read; did you mean {meant}?"));
    }
    found.extend(unmatched_sources(view, config)?);
    for root in config.roots.iter().filter(|_| config.given.contains("yatsu.roots")) {
        if !matches!(view.kind(root)?, Some(Kind::Dir)) {
            found.push(format!("yatsu.roots names \"{}\", which is no directory here", echo(&root.to_string())));
        }
    }
    if let Some(name) = &config.main_branch
        && main.is_none_or(|found| !found.ends_with(&format!("/{name}")))
    {
        found.push(format!("mainBranch names \"{0}\", and neither it nor origin/{0} is here", echo(name)));
    }
    if config.budgets.is_unlimited() && config.budgets.require_usage != RequireUsage::No {
        found.push("yatsu.budgets.requireUsage has no effect, because yatsu.budgets limits nothing".into());
    }
    found.extend(unknown_tags(config));
    for settings in feature_settings() {
        found.extend((settings.warnings)(config, view)?);
    }
    Ok(found)
}

/// A warning for each tag that a setting names and no scenario may have.
fn unknown_tags(config: &Config) -> impl Iterator<Item = String> + '_ {
    let evidence = config.evidence_for.keys().map(|tag| ("yatsu.evidenceFor", tag));
    let agents = config.agents.require.iter().map(|tag| ("yatsu.agents.require", tag));
    evidence.chain(agents).filter_map(move |(key, tag)| config.unknown_tag(key, tag))
}

/// A warning if the given source extensions match no tracked file: then no node is ever reported as uncovered.
pub(crate) fn unmatched_sources(view: &dyn Tree, config: &Config) -> Result<Option<String>> {
    if !config.given.contains("lint.sourceExtensions") {
        return Ok(None);
    }
    let extensions = config.source_extensions();
    let is_source = |path: &RepoPath| {
        let name = path.name();
        extensions.iter().any(|extension| name.ends_with(format!(".{extension}").as_bytes()))
    };
    for (path, _) in view.files(&RepoPath::root(), &is_source)? {
        if !view.is_untracked(&path)? {
            return Ok(None);
        }
    }
    Ok(Some("lint.sourceExtensions matches no tracked file, so yatsu-uncovered never speaks".into()))
}
