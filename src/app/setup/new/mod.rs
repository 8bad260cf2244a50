//! Creates the first file of a scenario. Input: a [`NewRequest`]. Output: a directory with a scenario file that passes the
//! gate, and the next steps. Everything is judged in memory before any write. Either all files are created, or none.

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
use crate::model::governed::Governed;
use crate::model::ids::same_name;
use crate::model::node::{Node, is_newer};
use crate::model::workspace::{self, Outline, Select};
use crate::names::{CONFIG_FILE, NEWER_SCENARIOS, OLDER_SCENARIOS, SPEC};
use crate::repo::Repo;
use crate::rules::{self, Door};
use crate::store::scaffold;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use planned::PlannedTree;
use selected::Selected;
use std::collections::BTreeSet;
use std::rc::Rc;
use texts::EntryText;

/// The default tag of a new scenario, if the tag library has it or is empty.
const USUAL_TAG: &str = "cli";

/// The user's request.
#[derive(Clone, Debug)]
pub(crate) struct NewRequest {
    /// The node's path below the first root; without it, derived from the first path of `code`.
    pub node: Option<String>,
    /// The governed entries of the scenario, from the top of the repository.
    pub code: Vec<RepoPath>,
    /// The scenario's name; without it, derived from the governed path.
    pub scenario: Option<String>,
    /// Its tags; without any, the default tag.
    pub tags: Vec<String>,
    /// The node's title; without it the name of its directory.
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
    /// The node's id.
    pub id: String,
    pub dir: RepoPath,
    /// The scenario's name.
    pub scenario: String,
    pub file: RepoPath,
    /// Every new file with its content.
    pub files: Vec<(RepoPath, String)>,
    /// The governed files that git does not track yet.
    pub untracked: Vec<RepoPath>,
    /// The lines of the scenario file that still hold a placeholder.
    pub unsaid: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum NewOutcome {
    /// The files were created, or would be in a dry run.
    Made(NewScenario),
    /// A scenario file exists already: nothing was written.
    Taken {
        /// The entry to paste into it, with its indentation; `None` if the file already declares the scenario.
        entry: Option<String>,
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
    if let Some(file) = plan.there.as_ref().and_then(|node| node.file.as_ref()) {
        let refusal =
            Error::refused(format!("{} is there already; nothing was written", file.path)).because(Refusal::Exists);
        let is_declared = file.scenarios.iter().any(|known| same_name(&known.name, &plan.scenario));
        let (entry, hint) = match is_declared {
            true => (None, format!("it declares `{}`: choose another name, --scenario NAME", echo(&plan.scenario))),
            false => (
                Some(plan.entry().item(&indentation(&*view, &file.path)?)),
                "paste the entry at the end of its list".to_owned(),
            ),
        };
        return Ok(NewOutcome::Taken { entry, refusal: refusal.hint(hint) });
    }
    let files = plan.files();
    refuse_unseen(&*view, &config, &files)?;
    let id = judge(repo, PlannedTree::new(Rc::clone(&view), &files), config.clone(), &plan)?;
    if !request.dry_run {
        scaffold::create(top, &files)?;
    }
    Ok(NewOutcome::Made(plan.made(id, files)))
}

/// The files to write, and their place.
struct Plan<'r> {
    request: &'r NewRequest,
    dir: RepoPath,
    /// The existing node, with or without a scenario file.
    there: Option<Node>,
    /// The scenario's name.
    scenario: String,
    tags: Vec<String>,
    library: Vec<String>,
    code: Selected,
    file: RepoPath,
}

impl<'r> Plan<'r> {
    fn make(view: &dyn Tree, config: &Config, request: &'r NewRequest) -> Result<Self> {
        texts_are_one_line(request)?;
        let code = selected::select(view, &request.code)?;
        let root = config.roots.first().cloned().unwrap_or_default();
        let name = match (&request.node, code.texts.first()) {
            (Some(name), _) => name.clone(),
            (None, Some(first)) => place::stem(first)?,
            (None, None) => return Err(no_code("neither a node nor a path that it governs is named")),
        };
        let dir = place::named(view, &root, &name)?;
        let outline = Outline::of(view, config.clone())?;
        let there = outline.load(view, &dir)?;
        let declared = there.as_ref().and_then(|node| node.spec.as_ref()).and_then(|spec| spec.code.first());
        let Some(first) = code.texts.first().cloned().or_else(|| declared.map(Governed::shown)) else {
            return Err(no_code("nothing says what the scenario is about"));
        };
        let scenario = request.scenario.clone().unwrap_or_else(|| place::scenario(&first, &dir));
        refuse_unknown_tags(config, &request.tags)?;
        let newer = is_newer(&workspace::load(view, config.clone(), &Select::All)?.nodes);
        let file = dir.child(if newer { NEWER_SCENARIOS } else { OLDER_SCENARIOS }.as_bytes());
        let (tags, library) = (tags(config, &request.tags), config.scenario_tags.clone());
        Ok(Self { request, dir, there, scenario, tags, library, code, file })
    }

    fn entry(&self) -> EntryText<'_> {
        EntryText {
            name: &self.scenario,
            description: self.request.description.as_deref(),
            expected: self.request.expected.as_deref(),
            tags: &self.tags,
            code: &self.code.texts,
            library: &self.library,
        }
    }

    /// The scenario file, and a spec file if the node has none.
    fn files(&self) -> Vec<(RepoPath, Vec<u8>)> {
        let mut files = Vec::new();
        if self.there.as_ref().is_none_or(|node| node.spec.is_none()) {
            let title = self.request.title.clone().unwrap_or_else(|| self.dir.name().to_string());
            files.push((self.dir.child(SPEC.as_bytes()), texts::spec(&title, &self.code.texts).into_bytes()));
        }
        files.push((self.file.clone(), self.entry().file().into_bytes()));
        files
    }

    fn made(self, id: String, files: Vec<(RepoPath, Vec<u8>)>) -> NewScenario {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let files: Vec<_> = files.into_iter().map(|(path, bytes)| (path, text(bytes))).collect();
        let lines = files.last().map(|(_, text)| unsaid(text, self.request)).unwrap_or_default();
        NewScenario {
            id,
            dir: self.dir,
            scenario: self.scenario,
            file: self.file,
            files,
            untracked: self.code.untracked,
            unsaid: lines,
        }
    }
}

/// The lines that hold placeholders, because the user gave no text.
fn unsaid(text: &str, request: &NewRequest) -> Vec<usize> {
    let keys = [("    description: ", &request.description), ("    expected: ", &request.expected)];
    let line = |key: &str| text.lines().position(|line| line.starts_with(key)).map(|line| line + 1);
    keys.iter().filter(|(_, said)| said.is_none()).filter_map(|(key, _)| line(key)).collect()
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
        let mut tags = asked.to_vec();
        tags.sort();
        tags.dedup();
        return tags;
    }
    let library = &config.scenario_tags;
    let usual = || USUAL_TAG.to_owned();
    match library.iter().any(|tag| tag == USUAL_TAG) {
        true => vec![usual()],
        false => vec![library.first().cloned().unwrap_or_else(usual)],
    }
}

/// The indentation of the entries in a scenario file.
fn indentation(view: &dyn Tree, file: &RepoPath) -> Result<String> {
    let bytes = view.read(file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let entry = text.lines().find(|line| line.trim_start().starts_with("- "));
    Ok(entry.map_or_else(|| "  ".to_owned(), |line| line.chars().take_while(|c| *c == ' ').collect()))
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
    let asked = &plan.code.texts;
    let spec = |node: &Node| plan.there.is_some() || node.spec.as_ref().is_some_and(|spec| read(&spec.code) == *asked);
    let own = |node: &Node| {
        let scenarios = node.file.as_ref().map(|file| file.scenarios.as_slice()).unwrap_or_default();
        scenarios.iter().all(|scenario| read(&scenario.code) == *asked)
    };
    match nodes.iter().all(|node| spec(node) && own(node)) {
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
