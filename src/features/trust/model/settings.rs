//! `yatsu.trust`: the keys that may sign, and the trust that passes and approvals need. Input: a value. Output: the settings
//! or the fault.

use crate::error::Result;
use crate::features::trust::model::keys::{BadLine, Judges, Revoked, keys_file};
use crate::features::trust::model::wildcard;
use crate::finding::SettingValue;
use crate::model::config::values::{Read, bad, bad_key, choice, list, members, whole_number, word, words};
use crate::model::config::{Config, FeatureConfig, ShownSetting};
use crate::model::ledger::Grade;
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::text::spelled::spelled;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The entry for scenarios without an entry of their tags.
const OTHERS: &str = "*";
/// The words for a grade of a reading.
const GRADES: &str = "claimed, observed, signed or independent";

spelled! {
    /// The kind of a key's owner, the least first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Role {
        /// A coding agent.
        Agent = "agent",
        /// A job of continuous integration.
        Ci = "ci",
        /// A person.
        Person = "person",
    }
}

/// The settings of `yatsu.trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustSettings {
    /// `signers`: the file with the keys that may sign.
    pub signers: Option<RepoPath>,
    /// `revoked`: the file with the keys that never hold.
    pub revoked: Option<RepoPath>,
    /// `project`: the name that signatures carry, so that none is lifted into another repository.
    pub project: Option<String>,
    /// `roles`: the principals of each role, as patterns.
    pub roles: BTreeMap<Role, Vec<String>>,
    /// `readings`: the trust that a pass needs, by tag; `*` is for scenarios without an entry of their tags.
    pub readings: BTreeMap<String, ReadingNeed>,
    /// `approvals`: the trust that an approval of content needs.
    pub approvals: Option<ApprovalNeed>,
}

/// The trust that a pass needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadingNeed {
    /// The least grade.
    pub grade: Grade,
    /// The roles that may sign; empty for any.
    pub roles: BTreeSet<Role>,
    /// How many persons must sign, if any must.
    pub keys: usize,
}

/// The trust that an approval of content needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalNeed {
    /// How many givers are needed.
    pub need: usize,
    /// Whether an approval must be signed, and how: [`Grade::Signed`] or [`Grade::Independent`], which are one here.
    pub grade: Option<Grade>,
    /// The roles that may sign; empty for any.
    pub roles: BTreeSet<Role>,
}

impl ReadingNeed {
    /// Whether signatures must speak for a pass.
    pub(crate) fn asks_for_keys(&self) -> bool {
        self.grade > Grade::Observed || !self.roles.is_empty() || self.keys > 1
    }

    /// The need in words, for example `an independent pass by 2 persons of the role person`.
    pub(crate) fn words(&self) -> String {
        let grade = if self.asks_for_keys() { self.grade.max(Grade::Signed) } else { self.grade };
        let article = if matches!(grade, Grade::Observed | Grade::Independent) { "an" } else { "a" };
        let keys = if self.keys > 1 { format!(" by {} persons", self.keys) } else { String::new() };
        let roles: Vec<&str> = self.roles.iter().map(|role| role.as_str()).collect();
        let by = if roles.is_empty() { String::new() } else { format!(" of the role {}", roles.join(" or ")) };
        format!("{article} {} pass{keys}{by}", grade.as_str())
    }

    /// Whether more than a claim is asked for.
    pub(crate) fn asks(&self) -> bool {
        self.grade > Grade::Claimed || self.asks_for_keys()
    }

    /// How `new` is weaker, each as the end of a sentence about the entry.
    pub(crate) fn lowered(&self, new: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if new.grade < self.grade {
            found.push(format!(" is lowered from {} to {}", self.grade.as_str(), new.grade.as_str()));
        }
        if new.keys < self.keys {
            found.push(format!(".keys is lowered from {} to {}", self.keys, new.keys));
        }
        found.extend(widened(&self.roles, &new.roles));
        found
    }
}

impl ApprovalNeed {
    /// Whether only signed approvals count.
    pub(crate) fn asks_for_keys(&self) -> bool {
        self.grade.is_some() || !self.roles.is_empty()
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if new.need < self.need {
            found.push(format!(".need is lowered from {} to {}", self.need, new.need));
        }
        if self.grade.is_some() && new.grade.is_none() {
            found.push(" asks for no signature any more".to_owned());
        }
        found.extend(widened(&self.roles, &new.roles));
        found
    }
}

/// The roles that `new` allows and `old` did not; none in a list allows all.
fn widened(old: &BTreeSet<Role>, new: &BTreeSet<Role>) -> Option<String> {
    if old.is_empty() {
        return None;
    }
    if new.is_empty() {
        return Some(".roles allows any role".to_owned());
    }
    let gained: Vec<&str> = new.difference(old).map(|role| role.as_str()).collect();
    (!gained.is_empty()).then(|| format!(".roles allows {}, too", gained.join(" and ")))
}

impl FeatureConfig for TrustSettings {
    const KEY: &'static str = "trust";
    const RANK: u16 = 130;
    const DEFAULT: &'static Self = &Self {
        signers: None,
        revoked: None,
        project: None,
        roles: BTreeMap::new(),
        readings: BTreeMap::new(),
        approvals: None,
    };

    fn read(value: &Json<'_>) -> Read<Self> {
        let mut settings = Self::default();
        for (key, value) in members("yatsu.trust", value)? {
            match &**key {
                "signers" => settings.signers = Some(file("yatsu.trust.signers", value)?),
                "revoked" => settings.revoked = Some(file("yatsu.trust.revoked", value)?),
                "project" => settings.project = Some(project(value)?),
                "roles" => settings.roles = role_patterns(value)?,
                "readings" => {
                    for (tag, value) in members("yatsu.trust.readings", value)? {
                        settings.readings.insert(tag.to_string(), entry(tag, value)?);
                    }
                }
                "approvals" => settings.approvals = Some(approvals(value)?),
                _ => {
                    let known = "signers, revoked, project, roles, readings, approvals";
                    return Err(bad_key(value, format!("yatsu.trust.{} is no setting; there is {known}", echo(key))));
                }
            }
        }
        if settings.signers.is_none()
            && let Some(key) = key_without_signers(&settings)
        {
            return Err(bad(value, format!("{key} needs yatsu.trust.signers, the file with the keys that may sign")));
        }
        Ok(settings)
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let mut found = self.other_sources(new);
        found.extend(self.widened_roles(new));
        for (tag, was) in &self.readings {
            let entry = format!("yatsu.trust.readings.{}", echo(tag));
            match new.readings.get(tag) {
                Some(now) => found.extend(was.lowered(now).into_iter().map(|how| format!("{entry}{how}"))),
                None if was.asks() => {
                    found.push(format!("yatsu.trust.readings loses \"{}\": it was {}", echo(tag), was.grade.as_str()))
                }
                None => {}
            }
        }
        // an entry of its own takes a tag away from `*`
        let excepted = new.readings.iter().filter(|(tag, _)| !self.readings.contains_key(*tag));
        if let Some(others) = self.readings.get(OTHERS) {
            for (tag, now) in excepted.filter(|(_, now)| !others.lowered(now).is_empty()) {
                found.push(format!(
                    "yatsu.trust.readings.{} asks for {} where \"*\" asked for {}",
                    echo(tag),
                    now.plainly(),
                    others.plainly()
                ));
            }
        }
        match (&self.approvals, &new.approvals) {
            (Some(was), Some(now)) => {
                found.extend(was.lowered(now).into_iter().map(|how| format!("yatsu.trust.approvals{how}")));
            }
            (Some(_), None) => found.push("yatsu.trust.approvals is gone: no approval is asked for".to_owned()),
            (None, _) => {}
        }
        found
    }

    fn shown(&self, _: &Config) -> Vec<ShownSetting> {
        let path = |path: &Option<RepoPath>| {
            path.as_ref().map_or(SettingValue::Unset, |path| SettingValue::path(&path.to_string()))
        };
        let member =
            |key, name: &str, value| ShownSetting { member: Some(name.to_owned()), ..ShownSetting::of(key, value) };
        let project = self.project.clone().map_or(SettingValue::Unset, SettingValue::Text);
        let mut found = vec![
            ShownSetting::of("yatsu.trust.signers", path(&self.signers)),
            ShownSetting::of("yatsu.trust.revoked", path(&self.revoked)),
            ShownSetting::of("yatsu.trust.project", project),
        ];
        for (role, patterns) in &self.roles {
            found.push(member("yatsu.trust.roles", role.as_str(), SettingValue::List(patterns.clone())));
        }
        for (tag, need) in &self.readings {
            found.push(member("yatsu.trust.readings", tag, SettingValue::Text(need.plainly())));
        }
        if let Some(need) = &self.approvals {
            let roles = need.roles.iter().map(|role| role.as_str().to_owned()).collect();
            let grade = need.grade.map_or(SettingValue::Unset, |grade| SettingValue::Text(grade.as_str().into()));
            found.push(ShownSetting::of("yatsu.trust.approvals.need", SettingValue::Number(need.need as u64)));
            found.push(ShownSetting::of("yatsu.trust.approvals.grade", grade));
            found.push(ShownSetting::of("yatsu.trust.approvals.roles", SettingValue::List(roles)));
        }
        found
    }

    fn warnings(&self, config: &Config, view: &dyn Tree) -> Result<Vec<String>> {
        let tags = self.readings.keys().filter(|tag| *tag != OTHERS);
        let mut found: Vec<_> = tags.filter_map(|tag| config.unknown_tag("yatsu.trust.readings", tag)).collect();
        for (path, bad) in bad_lines(view, self)? {
            found.push(format!("{path}:{}: the line is not read as a key: {}", bad.number, bad.why));
        }
        Ok(found)
    }
}

/// The lines of the keys' files of `view` that cannot be read, each with the path.
///
/// # Errors
/// When such a file is no regular file, or is too large.
fn bad_lines(view: &dyn Tree, settings: &TrustSettings) -> Result<Vec<(RepoPath, BadLine)>> {
    let mut found = Vec::new();
    if let Some(path) = &settings.signers {
        let (_, bad) = Judges::parse(&keys_file(view, "signers", path)?);
        found.extend(bad.into_iter().map(|line| (path.clone(), line)));
    }
    if let Some(path) = &settings.revoked {
        let (_, bad) = Revoked::parse(&keys_file(view, "revoked", path)?);
        let closed =
            |line: BadLine| BadLine { why: format!("{}; until it is mended, no key counts", line.why), ..line };
        found.extend(bad.into_iter().map(|line| (path.clone(), closed(line))));
    }
    Ok(found)
}

impl TrustSettings {
    /// The entries that a pass of a scenario with these tags must meet, all of them.
    pub(crate) fn needs(&self, tags: &[String]) -> Vec<&ReadingNeed> {
        let by_tag: Vec<&ReadingNeed> = tags.iter().filter_map(|tag| self.readings.get(tag)).collect();
        if by_tag.is_empty() { self.readings.get(OTHERS).into_iter().collect() } else { by_tag }
    }

    /// Whether `path` is one of the files of keys.
    pub(crate) fn names(&self, path: &RepoPath) -> bool {
        [&self.signers, &self.revoked].into_iter().flatten().any(|file| file == path)
    }

    /// The role of a signer with these principals: the least one that a pattern gives to any of them.
    pub(crate) fn role(&self, principals: &[String]) -> Option<Role> {
        let has = |patterns: &Vec<String>| {
            patterns.iter().any(|pattern| principals.iter().any(|name| wildcard::matches(pattern, name)))
        };
        self.roles.iter().find(|(_, patterns)| has(patterns)).map(|(role, _)| *role)
    }

    /// Other files or another project: old keys and old signatures may mean something else there.
    fn other_sources(&self, new: &Self) -> Vec<String> {
        let path = |path: &Option<RepoPath>| path.as_ref().map(ToString::to_string);
        let pairs = [
            ("signers", path(&self.signers), path(&new.signers)),
            ("revoked", path(&self.revoked), path(&new.revoked)),
            ("project", self.project.clone(), new.project.clone()),
        ];
        let changed = pairs
            .into_iter()
            .filter_map(|(key, was, now)| Some((key, was.filter(|was| Some(was) != now.as_ref())?, now)));
        let shown = |now: Option<String>| now.map_or_else(|| "nothing".to_owned(), |now| format!("\"{}\"", echo(&now)));
        changed
            .map(|(key, was, now)| format!("yatsu.trust.{key} was \"{}\" and is {}", echo(&was), shown(now)))
            .collect()
    }

    /// A pattern that joins a role lets more keys speak for it. A pattern that leaves the lesser role of an agent or of CI
    /// may do the same for a greater one.
    fn widened_roles(&self, new: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let none = Vec::new();
        for role in Role::ALL.into_iter().filter(|_| !self.roles.is_empty()) {
            let (was, now) = (self.roles.get(&role).unwrap_or(&none), new.roles.get(&role).unwrap_or(&none));
            let gained = now.iter().filter(|pattern| !was.contains(pattern));
            found.extend(
                gained.map(|pattern| format!("yatsu.trust.roles.{} gains \"{}\"", role.as_str(), echo(pattern))),
            );
            let lost = was.iter().filter(|pattern| role != Role::Person && !now.contains(pattern));
            found.extend(lost.map(|pattern| {
                format!(
                    "yatsu.trust.roles.{} loses \"{}\": such keys may have a greater role",
                    role.as_str(),
                    echo(pattern)
                )
            }));
        }
        found
    }
}

impl ReadingNeed {
    /// The grade, with what else the entry asks for, for example `signed, roles person, keys 2`.
    pub(crate) fn plainly(&self) -> String {
        let roles: Vec<&str> = self.roles.iter().map(|role| role.as_str()).collect();
        let roles = if roles.is_empty() { String::new() } else { format!(", roles {}", roles.join(" ")) };
        let keys = if self.keys > 1 { format!(", keys {}", self.keys) } else { String::new() };
        format!("{}{roles}{keys}", self.grade.as_str())
    }
}

/// A setting that only signatures can meet.
fn key_without_signers(settings: &TrustSettings) -> Option<String> {
    let reading = settings.readings.iter().find(|(_, need)| need.asks_for_keys());
    let reading = reading.map(|(tag, _)| format!("yatsu.trust.readings.{}", echo(tag)));
    let approvals = settings.approvals.as_ref().filter(|need| need.asks_for_keys());
    reading.or_else(|| approvals.map(|_| "yatsu.trust.approvals".to_owned()))
}

/// The path of a file in the tree.
fn file(key: &str, value: &Json<'_>) -> Read<RepoPath> {
    let text = word(key, value)?;
    let path = RepoPath::parse(text.as_bytes())
        .map_err(|problem| bad(value, format!("{key}: \"{}\" {}", echo(&text), problem.as_str())))?;
    if path.is_root() { Err(bad(value, format!("{key} must name a file"))) } else { Ok(path) }
}

fn project(value: &Json<'_>) -> Read<String> {
    let text = word("yatsu.trust.project", value)?;
    if text.len() > 256 || text.chars().any(char::is_control) {
        return Err(bad(value, "yatsu.trust.project must be one line of at most 256 bytes".to_owned()));
    }
    Ok(text)
}

fn role_patterns(value: &Json<'_>) -> Read<BTreeMap<Role, Vec<String>>> {
    let mut found = BTreeMap::new();
    for (name, value) in members("yatsu.trust.roles", value)? {
        let Some(role) = Role::parse(name) else {
            return Err(bad_key(
                value,
                format!("yatsu.trust.roles.{} is no role; there is agent, ci, person", echo(name)),
            ));
        };
        found.insert(role, words(&format!("yatsu.trust.roles.{name}"), value)?);
    }
    Ok(found)
}

/// One entry of `readings`, for example `{"grade": "independent", "roles": ["person"], "keys": 2}`.
fn entry(tag: &str, value: &Json<'_>) -> Read<ReadingNeed> {
    let key = format!("yatsu.trust.readings.{}", echo(tag));
    let (mut grade, mut roles, mut keys) = (None, BTreeSet::new(), 1);
    for (name, value) in members(&key, value)? {
        match &**name {
            "grade" => grade = Some(choice(&format!("{key}.grade"), value, Grade::parse, GRADES)?),
            "roles" => roles = role_list(&format!("{key}.roles"), value)?,
            "keys" => keys = whole_number(&format!("{key}.keys"), value)?,
            _ => {
                return Err(bad_key(value, format!("{key}.{} is no setting; there is grade, roles, keys", echo(name))));
            }
        }
    }
    let grade =
        grade.ok_or_else(|| bad(value, format!("{key} must have a grade, for example {{\"grade\": \"observed\"}}")))?;
    Ok(ReadingNeed { grade, roles, keys })
}

fn approvals(value: &Json<'_>) -> Read<ApprovalNeed> {
    let mut found = ApprovalNeed { need: 1, grade: None, roles: BTreeSet::new() };
    let signed = |text: &str| Grade::parse(text).filter(|grade| *grade > Grade::Observed);
    for (name, value) in members("yatsu.trust.approvals", value)? {
        let key = format!("yatsu.trust.approvals.{}", echo(name));
        match &**name {
            "need" => found.need = whole_number(&key, value)?,
            "grade" => found.grade = Some(choice(&key, value, signed, "signed or independent")?),
            "roles" => found.roles = role_list(&key, value)?,
            _ => return Err(bad_key(value, format!("{key} is no setting; there is need, grade, roles"))),
        }
    }
    Ok(found)
}

fn role_list(key: &str, value: &Json<'_>) -> Read<BTreeSet<Role>> {
    let roles: BTreeSet<Role> = list(key, value)?
        .iter()
        .map(|item| choice(key, item, Role::parse, "agent, ci or person"))
        .collect::<Read<_>>()?;
    if roles.is_empty() { Err(bad(value, format!("{key} must name at least one role"))) } else { Ok(roles) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::parse;

    fn settings(text: &str) -> std::result::Result<TrustSettings, String> {
        let text = format!("{{\"yatsu\": {{\"trust\": {text}}}}}");
        parse(text.as_bytes()).map(|config| config.of::<TrustSettings>().clone()).map_err(|error| error.message)
    }

    fn readings(text: &str) -> TrustSettings {
        settings(&format!("{{\"readings\": {text}}}")).unwrap()
    }

    const OBSERVED: &str = r#"{"grade": "observed"}"#;
    const CLAIMED: &str = r#"{"grade": "claimed"}"#;

    #[test]
    fn the_highest_grade_of_its_tags_is_needed_else_the_grade_of_the_star() {
        let need = |settings: &TrustSettings, tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            settings.needs(&tags).iter().map(|need| need.grade).max().unwrap_or_default()
        };
        assert_eq!(need(&readings("{}"), &["cli"]), Grade::Claimed);
        let some = readings(&format!("{{\"*\": {OBSERVED}, \"cli\": {CLAIMED}, \"api\": {OBSERVED}}}"));
        assert_eq!(need(&some, &[]), Grade::Observed);
        assert_eq!(need(&some, &["mobile"]), Grade::Observed);
        assert_eq!(need(&some, &["cli", "mobile"]), Grade::Claimed);
        assert_eq!(need(&some, &["cli", "api"]), Grade::Observed);
    }

    #[test]
    fn a_wrong_entry_is_refused_by_name() {
        for (text, named) in [
            ("[]", "yatsu.trust must be an object"),
            (
                r#"{"reading": {}}"#,
                "yatsu.trust.reading is no setting; there is signers, revoked, project, roles, readings, approvals",
            ),
            (r#"{"readings": []}"#, "yatsu.trust.readings must be an object"),
            (r#"{"readings": {"cli": "observed"}}"#, "yatsu.trust.readings.cli must be an object"),
            (r#"{"readings": {"cli": {}}}"#, "yatsu.trust.readings.cli must have a grade"),
            (
                r#"{"readings": {"cli": {"grade": "seen"}}}"#,
                "must be claimed, observed, signed or independent, not \"seen\"",
            ),
            (r#"{"readings": {"cli": {"grade": "observed", "key": 1}}}"#, "yatsu.trust.readings.cli.key is no setting"),
            (r#"{"readings": {"cli": {"grade": "signed"}}}"#, "yatsu.trust.readings.cli needs yatsu.trust.signers"),
            (r#"{"readings": {"cli": {"grade": "observed", "keys": 2}}}"#, "needs yatsu.trust.signers"),
            (r#"{"approvals": {"roles": ["person"]}}"#, "yatsu.trust.approvals needs yatsu.trust.signers"),
            (r#"{"approvals": {"grade": "observed"}}"#, "must be signed or independent"),
            (r#"{"signers": "../keys"}"#, "yatsu.trust.signers: \"../keys\""),
            (r#"{"signers": "."}"#, "yatsu.trust.signers must name a file"),
            (r#"{"roles": {"boss": ["*"]}}"#, "yatsu.trust.roles.boss is no role"),
            (
                r#"{"signers": "k", "readings": {"cli": {"grade": "signed", "roles": []}}}"#,
                "must name at least one role",
            ),
        ] {
            let message = settings(text).expect_err(text);
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn a_weaker_entry_is_named_and_a_stricter_one_is_not() {
        let old = readings(&format!("{{\"*\": {OBSERVED}, \"cli\": {OBSERVED}, \"api\": {OBSERVED}}}"));
        let new = readings(&format!("{{\"*\": {OBSERVED}, \"cli\": {CLAIMED}, \"mobile\": {CLAIMED}}}"));
        insta::assert_snapshot!(old.lowered(&new).join("\n"), @r#"
        yatsu.trust.readings loses "api": it was observed
        yatsu.trust.readings.cli is lowered from observed to claimed
        yatsu.trust.readings.mobile asks for claimed where "*" asked for observed
        "#);
        assert_eq!(TrustSettings::default().lowered(&old), [""; 0]);
        assert_eq!(old.lowered(&old), [""; 0]);
        assert_eq!(readings(&format!("{{\"cli\": {CLAIMED}}}")).lowered(&TrustSettings::default()), [""; 0]);
    }

    #[test]
    fn every_way_to_ask_for_less_than_signatures_did_is_named() {
        let all = r#"{"signers": "keys", "revoked": "gone", "project": "urn:a",
            "roles": {"person": ["*@example.org"], "agent": ["*-agent@example.org"]},
            "readings": {"*": {"grade": "independent", "roles": ["person"], "keys": 2}},
            "approvals": {"need": 2, "grade": "signed", "roles": ["person"]}}"#;
        let weaker = r#"{"signers": "others", "project": "urn:b", "roles": {"person": ["*"]},
            "readings": {"*": {"grade": "signed", "roles": ["person", "ci"]}, "cli": {"grade": "signed"}},
            "approvals": {}}"#;
        let (old, new) = (settings(all).unwrap(), settings(weaker).unwrap());
        insta::assert_snapshot!(old.lowered(&new).join("\n"), @r#"
        yatsu.trust.signers was "keys" and is "others"
        yatsu.trust.revoked was "gone" and is nothing
        yatsu.trust.project was "urn:a" and is "urn:b"
        yatsu.trust.roles.agent loses "*-agent@example.org": such keys may have a greater role
        yatsu.trust.roles.person gains "*"
        yatsu.trust.readings.* is lowered from independent to signed
        yatsu.trust.readings.*.keys is lowered from 2 to 1
        yatsu.trust.readings.*.roles allows ci, too
        yatsu.trust.readings.cli asks for signed where "*" asked for independent, roles person, keys 2
        yatsu.trust.approvals.need is lowered from 2 to 1
        yatsu.trust.approvals asks for no signature any more
        yatsu.trust.approvals.roles allows any role
        "#);
        assert_eq!(old.lowered(&old), [""; 0]);
    }

    #[test]
    fn of_several_roles_the_least_counts_and_no_match_is_no_role() {
        let all =
            r#"{"roles": {"person": ["*@example.org"], "agent": ["*-agent@example.org"], "ci": ["ci@example.org"]}}"#;
        let role = |name: &str| settings(all).unwrap().role(&[name.to_owned()]);
        assert_eq!(role("Ann@Example.org"), Some(Role::Person));
        assert_eq!(role("ann-agent@example.org"), Some(Role::Agent));
        assert_eq!(role("ci@example.org"), Some(Role::Ci));
        assert_eq!(role("ann@elsewhere"), None);
    }
}
