//! Creates the first file of a scenario, or of all scenarios in a file of another tool. Input: a [`NewRequest`]. Output: a
//! directory with a scenario file that passes the gate, and the next steps. Everything is judged in memory before any write.
//! Either all files are created, or none.

mod append;
mod drafts;
mod place;
mod planned;
mod selected;
mod texts;

use crate::app::judge::levels;
use crate::app::site::refuse_unknown_tags;
use crate::engine::anchors::Anchors;
use crate::engine::facts;
use crate::error::{Error, Refusal, Result};
use crate::finding::{Finding, Level, RuleId};
use crate::model::config::Config;
use crate::model::governed::{Governed, MAX_PATHS};
use crate::model::ids::same_name;
use crate::model::node::{Node, is_newer};
use crate::model::reference::{BY_HAND, BY_REPORT, eval_command};
use crate::model::resolve;
use crate::model::scenario::{Scenario, placeholder};
use crate::model::source::Position;
use crate::model::workspace::{self, Outline, Select};
use crate::names::{CONFIG_FILE, NEWER_SCENARIOS, OLDER_SCENARIOS, SPEC};
use crate::repo::Repo;
use crate::report::view::receipt::{BegunOutcome, NewReceipt, OriginReceipt};
use crate::rules::{self, Door};
use crate::store::replace_all::{FileChange, replace_all};
use crate::store::scaffold;
use crate::sys;
use crate::text::escape::echo;
use crate::text::found_scenario::FeatureFile;
use crate::text::shell;
use crate::text::yaml::write::scalar;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use drafts::DraftEntry;
use planned::PlannedTree;
use selected::Selected;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use texts::{EntryText, TestText};

/// The default tag of a new scenario, if the tag library has it or is empty.
const USUAL_TAG: &str = "cli";

/// Reads the scenarios in the file at a path of the repository. Of their tags, it keeps only those of a library.
pub(crate) type ReadScenarios = fn(&dyn Tree, &RepoPath, &[String]) -> Result<FeatureFile>;

/// A file of another tool.
#[derive(Clone, Debug)]
pub(crate) struct OtherFile {
    pub path: RepoPath,
    pub read: ReadScenarios,
}

/// The user's request.
#[derive(Clone, Debug)]
pub(crate) struct NewRequest {
    /// The node's path below the first root; without it, derived from the first path of `code`.
    pub node: Option<String>,
    /// The governed entries of the scenario, from the top of the repository.
    pub code: Vec<RepoPath>,
    /// The files that a measured run went through, which are governed too where no entry of `code` covers them.
    pub ran: Vec<RepoPath>,
    /// The file of another tool that has the scenarios. Then `scenario`, `description` and `expected` are `None`.
    pub from: Option<OtherFile>,
    /// The scenario's name; without it, derived from the governed path.
    pub scenario: Option<String>,
    /// Its tags; without any, the default tag.
    pub tags: Vec<String>,
    /// The test that measures the scenario: the file, and the name of a test in it.
    pub test: Option<(RepoPath, Option<String>)>,
    /// Whether a scenario file that is there gets the new entries.
    pub append: bool,
    /// The node's title, which a spec.md of its own holds.
    pub title: Option<String>,
    /// The description; without it a placeholder.
    pub description: Option<String>,
    /// The expected result; without it a placeholder.
    pub expected: Option<String>,
    /// Whether to judge only and write nothing.
    pub dry_run: bool,
}

/// The new scenario, created or planned.
#[derive(Clone, Debug)]
pub(crate) struct NewScenario {
    /// Its files, each with its new text: the whole file, or the entries that an existing file gets.
    pub receipt: NewReceipt,
    pub dir: RepoPath,
    /// The governed files that git does not track yet.
    pub untracked: Vec<RepoPath>,
    /// The lines of the scenario file that still hold a placeholder.
    pub unsaid: Vec<usize>,
    /// The words of `eval` that file a reading of it.
    pub filing: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) enum NewOutcome {
    /// The files were created, or would be in a dry run.
    Made(Box<NewScenario>),
    /// A scenario file exists already: nothing was written.
    Taken {
        /// The entries to paste into it, with its indentation; `None` if the file already declares all scenarios.
        entries: Option<String>,
        refusal: Error,
    },
}

/// Creates a scenario.
///
/// # Errors
/// Usage for invalid input; refused in a bare repository, at a path that git ignores, and for a file that the gate would
/// refuse; unchecked when files cannot be read or written.
pub(crate) fn begin(repo: &Repo, request: &NewRequest) -> Result<NewOutcome> {
    let Some(top) = &repo.work_dir else {
        return Err(Error::refused("a bare repository has no work tree to write a scenario file in")
            .hint("run this in a clone with a work tree, commit the files and push them"));
    };
    let view: Rc<dyn Tree> = repo.worktree_view()?;
    let config = workspace::read_config(&*view)?;
    let plan = Plan::make(&*view, &config, request)?;
    if plan.there.as_ref().is_some_and(|node| node.file.is_some()) {
        return append(repo, top, view, &config, plan);
    }
    let files = plan.files();
    refuse_unseen(&*view, &config, &files)?;
    let id = judge(repo, PlannedTree::new(Rc::clone(&view), &files), config.clone(), &plan)?;
    if !request.dry_run {
        scaffold::create(top, &files)?;
    }
    Ok(NewOutcome::Made(Box::new(plan.made(id, files))))
}

/// The outcome where a scenario file is there: with [`NewRequest::append`] its list gets the undeclared entries. Without, or
/// for a file that is not written entry by entry, nothing is written and the entries are returned.
fn append(repo: &Repo, top: &Path, view: Rc<dyn Tree>, config: &Config, mut plan: Plan<'_>) -> Result<NewOutcome> {
    let Some(file) = plan.there.as_ref().and_then(|node| node.file.as_ref()) else {
        return Err(Error::fault("no scenario file is there to append to"));
    };
    let path = file.path.clone();
    let is_declared = |entry: &DraftEntry| file.scenarios.iter().any(|known| same_name(&known.name, &entry.name));
    let undeclared: Vec<DraftEntry> = plan.entries.iter().filter(|entry| !is_declared(entry)).cloned().collect();
    if undeclared.is_empty() {
        return Ok(NewOutcome::Taken { entries: None, refusal: plan.taken(&path, plan.all_declared()) });
    }
    plan.entries = undeclared;
    let before = view.read(&path)?.unwrap_or_default();
    let names: Vec<&str> = plan.entries.iter().map(|entry| entry.name.as_str()).collect();
    let wish = plan.request.append && view.kind(&path)? != Some(Kind::Link);
    let after = wish.then(|| append::appended(&path, &before, &names, &|indent| plan.items(indent))).flatten();
    let Some(after) = after else {
        let what = if plan.entries.len() == 1 { "the entry" } else { "the entries" };
        let refusal = plan.taken(&path, format!("paste {what} at the end of its list"));
        let refusal = if plan.request.append { refusal } else { refusal.hint("or let it be added: --append") };
        return Ok(NewOutcome::Taken { entries: Some(plan.items(&indentation(&before))), refusal });
    };
    plan.file = path;
    let file = (plan.file.clone(), after);
    let planned = PlannedTree::new(Rc::clone(&view), std::slice::from_ref(&file));
    let id = judge(repo, planned, config.clone(), &plan)?;
    if !plan.request.dry_run {
        let place = top.join(sys::in_tree(file.0.as_bstr()));
        replace_all(
            &[FileChange { path: place, before: Some(before), after: Some(file.1.clone()), shared: None }],
            &[],
        )?;
    }
    let added = plan.items("  ");
    let mut made = plan.made(id, vec![file]);
    made.receipt.contents.iter_mut().for_each(|text| text.clone_from(&added));
    Ok(NewOutcome::Made(Box::new(made)))
}

/// The files to write, and their place.
struct Plan<'r> {
    request: &'r NewRequest,
    dir: RepoPath,
    /// The existing node, with or without a scenario file.
    there: Option<Node>,
    /// The scenarios; at least one.
    entries: Vec<DraftEntry>,
    origin: Option<OriginReceipt>,
    library: Vec<String>,
    code: Selected,
    test: Option<TestText>,
    file: RepoPath,
}

impl<'r> Plan<'r> {
    fn make(view: &dyn Tree, config: &Config, request: &'r NewRequest) -> Result<Self> {
        texts_are_one_line(request)?;
        let mut code = selected::select(view, &request.code)?;
        let root = config.roots.first().cloned().unwrap_or_default();
        let ran = request.ran.first().map(ToString::to_string);
        let name = match (&request.node, &request.from, code.texts.first().or(ran.as_ref())) {
            (Some(name), ..) => name.clone(),
            (None, Some(file), _) => place::of_file(&file.path)?,
            (None, None, Some(first)) => place::stem(first)?,
            (None, None, None) => return Err(no_code("neither a node nor a path that it governs is named")),
        };
        let dir = place::named(view, &root, &name)?;
        let outline = Outline::of(view, config.clone())?;
        let there = outline.load(view, &dir)?;
        code.add(selected::select(view, &undeclared(view, request, there.as_ref())?)?);
        let declared = there.as_ref().and_then(|node| node.spec.as_ref()).and_then(|spec| spec.code.first());
        let Some(first) = code.texts.first().cloned().or_else(|| declared.map(Governed::shown)) else {
            return Err(no_code("nothing says what the scenario is about"));
        };
        refuse_unknown_tags(config, &request.tags)?;
        let (entries, origin) = match &request.from {
            None => (vec![own_entry(config, request, place::scenario(&first, &dir))], None),
            Some(file) => {
                let found = (file.read)(view, &file.path, &config.scenario_tags)?;
                let source = selected::select(view, std::slice::from_ref(&file.path))?;
                code.untracked.extend(source.untracked);
                let declared = there.as_ref().map(Node::scenarios).unwrap_or_default();
                let entries = drafts::entries(&found.scenarios, declared, &request.tags, &tags(config, &[]));
                let origin = drafts::origin(source.texts.concat(), &found, &entries);
                (entries, Some(origin))
            }
        };
        let test = request.test.as_ref().map(|(file, name)| -> Result<TestText> {
            let selected = selected::test_file(view, file)?;
            code.untracked.extend(selected.untracked);
            Ok(TestText { path: selected.texts.concat(), name: name.clone() })
        });
        let test = test.transpose()?;
        let newer = is_newer(&workspace::load(view, config.clone(), &Select::All)?.nodes);
        let file = dir.child(if newer { NEWER_SCENARIOS } else { OLDER_SCENARIOS }.as_bytes());
        Ok(Self { request, dir, there, entries, origin, library: config.scenario_tags.clone(), code, test, file })
    }

    fn text<'a>(&'a self, entry: &'a DraftEntry) -> EntryText<'a> {
        EntryText {
            entry,
            code: &self.code.texts,
            related: self.origin.as_ref().map(|origin| origin.path.as_str()),
            test: self.test.as_ref(),
            library: &self.library,
        }
    }

    /// The next step if the file declares all scenarios already.
    fn all_declared(&self) -> String {
        match &self.entries[..] {
            [entry] if self.origin.is_none() => {
                format!("it declares `{}`: choose another name, --scenario NAME", echo(&entry.name))
            }
            _ => "it declares all these scenarios already: change their texts there".to_owned(),
        }
    }

    /// The refusal to write a file that is there, with the next step.
    fn taken(&self, file: &RepoPath, hint: String) -> Error {
        let refusal = Error::refused(format!("{file} is there already; nothing was written")).because(Refusal::Exists);
        let near = self.origin.as_ref().and_then(|origin| origin.near.first());
        let skipped = near.map(|line| format!("line {line} nearly begins a scenario and was skipped"));
        skipped.into_iter().fold(refusal.hint(hint), Error::hint)
    }

    /// The entries, with `indent` before their dashes.
    fn items(&self, indent: &str) -> String {
        self.entries.iter().map(|entry| self.text(entry).item(indent)).collect()
    }

    /// The scenario file, and a spec file for a title. A list of paths stands in one file only: nothing would find a path
    /// that is dead in a second list, because the list of the scenario counts.
    fn files(&self) -> Vec<(RepoPath, Vec<u8>)> {
        let mut files = Vec::new();
        let has_spec = self.there.as_ref().is_some_and(|node| node.spec.is_some());
        if let Some(title) = self.request.title.as_ref().filter(|_| !has_spec) {
            files.push((self.dir.child(SPEC.as_bytes()), texts::spec(title).into_bytes()));
        }
        files.push((self.file.clone(), texts::file(&self.items("  ")).into_bytes()));
        files
    }

    fn made(self, node: String, files: Vec<(RepoPath, Vec<u8>)>) -> NewScenario {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (files, contents): (Vec<_>, Vec<_>) =
            files.into_iter().map(|(path, bytes)| (path.to_string(), text(bytes))).unzip();
        let unsaid = contents.last().map(|text| unsaid(text)).unwrap_or_default();
        let scenario = self.entries.into_iter().next().map(|entry| entry.name).unwrap_or_default();
        NewScenario {
            receipt: NewReceipt {
                outcome: if self.request.dry_run { BegunOutcome::WouldCreate } else { BegunOutcome::Created },
                node,
                directory: self.dir.to_string(),
                next: eval_command(&self.dir, &scenario),
                scenario,
                origin: self.origin,
                file: self.file.to_string(),
                files,
                contents,
            },
            dir: self.dir,
            untracked: self.code.untracked,
            unsaid,
            filing: if self.test.is_some() { BY_REPORT } else { BY_HAND },
        }
    }
}

/// Whether a list can hold the path of a tracked file.
pub(crate) fn is_writable(path: &RepoPath) -> bool {
    let Ok(text) = selected::readable(path) else { return false };
    Governed::parse(&text, Position::START, None).shown() == text
}

/// The files that ran and that neither an entry of the request covers nor the node calls related.
fn undeclared(view: &dyn Tree, request: &NewRequest, there: Option<&Node>) -> Result<Vec<RepoPath>> {
    let typed: Vec<Governed> =
        request.code.iter().map(|path| Governed::parse(&path.to_string(), Position::START, None)).collect();
    let related = there.and_then(|node| node.spec.as_ref()).map(|spec| &spec.related).into_iter().flatten();
    let declared: Vec<&Governed> = typed.iter().chain(related).collect();
    let mut ran: Vec<RepoPath> = request.ran.clone();
    ran.retain(|path| !declared.iter().any(|entry| entry.covers(path)));
    // an entry may also mean files behind a link
    for entry in typed.iter().filter(|_| !request.ran.is_empty()) {
        let files: BTreeSet<RepoPath> = resolve::matches(view, entry)?.into_iter().map(|(path, _)| path).collect();
        ran.retain(|path| !files.contains(path));
    }
    match request.code.len() + ran.len() {
        paths if paths > MAX_PATHS && !ran.is_empty() => {
            Err(Error::usage(format!("the list would have {paths} paths, and {MAX_PATHS} is the limit"))
                .hint("name the directories that they lie in: --code DIR"))
        }
        _ => Ok(ran),
    }
}

/// The only entry of a request without a file.
fn own_entry(config: &Config, request: &NewRequest, usual_name: String) -> DraftEntry {
    DraftEntry {
        name: request.scenario.clone().unwrap_or(usual_name),
        description: request.description.clone(),
        expected: request.expected.clone(),
        tags: tags(config, &request.tags),
    }
}

/// The lines that hold placeholders.
fn unsaid(text: &str) -> Vec<usize> {
    let placeholders = [
        format!("description: {}", scalar(placeholder::DESCRIPTION)),
        format!("expected: {}", scalar(placeholder::EXPECTED)),
    ];
    let lines = text.lines().enumerate().filter(|(_, line)| placeholders.iter().any(|one| one == line.trim()));
    lines.map(|(at, _)| at + 1).collect()
}

fn no_code(what: &str) -> Error {
    Error::usage(what).hint("say which code it measures: yatsu-hook new NODE --code PATH")
}

/// Refuses control characters in texts for the files, because their format is one line per key.
fn texts_are_one_line(request: &NewRequest) -> Result<()> {
    let texts = [
        ("--scenario", request.scenario.as_ref()),
        ("--title", request.title.as_ref()),
        ("--description", request.description.as_ref()),
        ("--expected", request.expected.as_ref()),
    ];
    for (flag, text) in texts {
        let wrong = match text {
            Some(text) if text.trim().is_empty() => "is blank",
            Some(text) if text.chars().any(char::is_control) => "has control characters; it is one line",
            _ => continue,
        };
        return Err(Error::usage(format!("{flag} {wrong}")).hint("say it in one line of text"));
    }
    Ok(())
}

fn tags(config: &Config, asked: &[String]) -> Vec<String> {
    if !asked.is_empty() {
        return selected::sorted(asked.to_vec());
    }
    let library = &config.scenario_tags;
    let usual = || USUAL_TAG.to_owned();
    match library.iter().any(|tag| tag == USUAL_TAG) {
        true => vec![usual()],
        false => vec![library.first().cloned().unwrap_or_else(usual)],
    }
}

/// The indentation of the entries in a scenario file with these bytes.
fn indentation(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let entry = text.lines().find(|line| line.trim_start().starts_with("- "));
    entry.map_or_else(|| "  ".to_owned(), |line| line.chars().take_while(|c| *c == ' ').collect())
}

/// Refuses files that git ignores or the configuration excludes, because they would have no effect.
fn refuse_unseen(view: &dyn Tree, config: &Config, files: &[(RepoPath, Vec<u8>)]) -> Result<()> {
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| path.clone()).collect();
    if let Some(ignored) = view.ignored(&paths)?.first() {
        let root = config.roots.iter().find(|root| ignored.path.is_within(root) && !root.is_root());
        let way_on = match root {
            Some(root) => format!("narrow that rule, or write `!/{root}/` below it"),
            None => "narrow that rule".to_owned(),
        };
        return Err(Error::refused(format!(
            "{} would be ignored by {}: git would never have it",
            ignored.path,
            ignored.rule.words()
        ))
        .because(Refusal::Invalid)
        .hint(way_on));
    }
    match paths.iter().find(|path| config.exclude.covers(path)) {
        None => Ok(()),
        Some(path) => Err(Error::refused(format!("{path} is excluded by {CONFIG_FILE}: nothing would look at it"))
            .because(Refusal::Invalid)
            .hint("narrow yatsu.exclude, or choose another node")),
    }
}

/// The id of the new node, if the rules for files find no error in the planned files.
fn judge(repo: &Repo, planned: PlannedTree, config: Config, plan: &Plan<'_>) -> Result<String> {
    let workspace = workspace::load(&planned, config, &Select::Dirs(BTreeSet::from([plan.dir.clone()])))?;
    refuse_other_paths(&workspace.nodes, plan)?;
    let id = workspace.nodes.first().map_or_else(|| plan.dir.to_string(), |node| node.id.clone());
    let facts = facts::collect_unowned(&planned, &Anchors::new(repo.history()), workspace)?;
    let found = levels::apply(rules::of_view(&facts, Door::Files), &facts.workspace.config, false);
    let is_ours = |finding: &Finding| {
        let place = finding.location.as_ref().map(|place| &place.path);
        finding.rule == RuleId::NodeId || place.is_some_and(|path| *path == plan.file.to_bstring())
    };
    match found.into_iter().find(|finding| finding.level == Level::Error && is_ours(finding)) {
        None => Ok(id),
        Some(finding) => {
            let rule = finding.rule.as_str();
            Err(Error::refused(format!("the gate would refuse it ({rule}): {}", finding.message))
                .because(Refusal::Invalid)
                .hint(finding.help))
        }
    }
}

/// Refuses a path that is read back from the files as another path.
fn refuse_other_paths(nodes: &[Node], plan: &Plan<'_>) -> Result<()> {
    let read = |list: &[Governed]| list.iter().map(Governed::shown).collect::<Vec<_>>();
    let related: Vec<_> = plan.origin.iter().map(|origin| origin.path.clone()).collect();
    let test = |scenario: &Scenario| {
        let read = scenario.test.as_ref().map(Governed::shown).map(|path| (path, scenario.test_name.clone()));
        read == plan.test.as_ref().map(|test| (test.path.clone(), test.name.clone()))
    };
    let is_new = |scenario: &&Scenario| plan.entries.iter().any(|entry| same_name(&entry.name, &scenario.name));
    let mut new = nodes.iter().flat_map(Node::scenarios).filter(is_new);
    match new.all(|one| read(&one.code) == plan.code.texts && read(&one.related) == related && test(one)) {
        true => Ok(()),
        false => Err(Error::usage("one of the paths cannot be written so that it is read as itself")
            .hint("name the directory that it lies in: --code DIR")),
    }
}

/// The command that adds the new files and the untracked governed ones to git.
pub(crate) fn git_add(made: &NewScenario) -> String {
    let mut line = format!("git add {}", shell::place(&made.dir));
    for path in made.untracked.iter().filter(|path| echo(&path.to_string()) == path.to_string()) {
        line += &format!(" {}", shell::place(path));
    }
    line
}
