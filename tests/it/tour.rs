//! The README's tour and the pages about teams of agents and run logs, line by line: every command is run and must print the
//! page's text, except for hashes and times. `YATSU_UPDATE_TOUR=1` writes the real output into them instead.

use crate::support::session::{is_segment, renamed};
use crate::support::{Said, Scratch, hermetic, program};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

const MARK: &str = "@@tour@@";

/// One part of the section: prose, or a command with its output.
enum Part {
    Prose(String),
    Command { text: String, output: String },
}

/// Commands begin with `$ ` in an indented block. A here-document belongs to its command. The rest of the block is output,
/// including blank lines.
fn parts(section: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut in_document = false;
    let mut lines = section.lines().peekable();
    while let Some(line) = lines.next() {
        let is_output = |next: &&str| next.starts_with("    ") && !next.starts_with("    $ ");
        let goes_on = matches!(parts.last(), Some(Part::Command { .. })) && lines.peek().is_some_and(is_output);
        let line = if line.is_empty() && goes_on { "    " } else { line };
        let block = line.strip_prefix("    ");
        match (block, parts.last_mut()) {
            (Some(line), Some(Part::Command { text, .. })) if in_document => {
                *text += &format!("\n{line}");
                in_document = line != "END";
            }
            (Some(line), _) if line.starts_with("$ ") => {
                in_document = line.contains("<<");
                parts.push(Part::Command { text: line[2..].to_owned(), output: String::new() });
            }
            (Some(line), Some(Part::Command { output, .. })) => *output += &format!("{line}\n"),
            _ => parts.push(Part::Prose(line.to_owned())),
        }
    }
    parts
}

/// Runs all commands in one shell and returns the output of each.
fn run(scratch: &Scratch, commands: &[&str]) -> Vec<String> {
    let script: String = commands.iter().map(|command| format!("printf '{MARK}\\n'\n{command}\n")).collect();
    let path =
        format!("{}:{}", program().parent().expect("a directory").display(), std::env::var("PATH").expect("PATH"));
    let mut shell = hermetic("sh", &scratch.home());
    // git knows the user's name; a page with a second person names it
    let person = scratch.home().join(".gitconfig");
    std::fs::write(&person, "[user]\n\tname = A\n").expect("a configuration");
    shell.env_remove("GIT_AUTHOR_NAME").env("GIT_CONFIG_GLOBAL", person);
    shell.current_dir(scratch.home()).env("PATH", path).args(["-c", &format!("exec 2>&1\n{script}")]);
    let said = Said::of(shell.output().expect("a shell"));
    let home = scratch.home().display().to_string();
    said.out.replace(&home, "~").split(&format!("{MARK}\n")).skip(1).map(str::to_owned).collect()
}

/// The text with all hashes and times made equal.
fn blurred(text: &str) -> String {
    let hex = |word: &str| {
        word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit()) && word.bytes().any(|b| b.is_ascii_digit())
    };
    let time = |word: &str| word.starts_with("20") && word.contains('T') && word.ends_with('Z');
    let (first, others) = text.split_once("SHA256:").unwrap_or((text, ""));
    let without_key =
        |part: &str| part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+/".contains(c)).to_owned();
    let keyless = others.split("SHA256:").map(without_key).collect::<Vec<_>>().join("#");
    let text = if others.is_empty() { text.to_owned() } else { format!("{first}#{keyless}") };
    renamed(&text, "-:.", |word| (hex(word) || time(word) || is_segment(word)).then_some("#"))
}

/// A part of a page with commands to follow: from one of its lines to another.
struct Followed {
    page: &'static str,
    begin: &'static str,
    end: &'static str,
}

const fn from(page: &'static str, begin: &'static str, end: &'static str) -> Followed {
    Followed { page, begin, end }
}

const README: Followed = from("README.md", "## Two minutes\n", "## What it finds\n");
const START: Followed = from("docs/start.md", "## Ten commands\n", "## From here\n");
const TEAMS: Followed = from("docs/claims.md", "# Teams of agents\n", "## Reference\n");
const RUNS: Followed = from("docs/runlogs.md", "guarded in five minutes\n", "## What is judged, and when\n");
const GOALS: Followed = from("docs/goals.md", "## A worked example\n", "## What the gates ask\n");
const PATCHES: Followed = from("docs/patches.md", "## A worked example\n", "## Which branches, and what they touch\n");
const APPROVALS: Followed = from("docs/patches.md", "### An approval outlives a rebase\n", "### The line\n");
const GRAPH: Followed = from("docs/graph.md", "## A story\n", "## The same, drawn\n");
const SERVER: Followed = from("docs/forges.md", "### git alone\n", "### Behind a forge\n");
const SHARING: Followed = from("docs/sharing.md", "## Two machines\n", "## What goes, and what stays\n");
const SELECTORS: Followed = from("docs/selectors.md", "## The units of source files\n", "A name is made of");
const PULL_REQUESTS: Followed =
    from("docs/pull-requests.md", "# Comments on pull requests\n", "The verdict and the exit code");
const DRAFTS: Followed = from("docs/files.md", "## Drafts from other tools\n", "### What becomes what\n");
/// `tests/coverage.sh` follows these, because they install tools.
const COVERAGE: Followed = from("docs/coverage.md", "## Worked examples\n", "### What real repositories showed\n");
const TRUST: Followed = from("docs/trust.md", "## Ten commands\n", "## What a signature says\n");
const WHO_FILES: Followed = from("docs/who-files.md", "## A worked example\n", "## CI\n");
const EVALS: Followed = from("docs/evals.md", "## A worked example\n", "## What goes into `code:`\n");
const ALL: [&Followed; 17] = [
    &README,
    &START,
    &TEAMS,
    &RUNS,
    &GOALS,
    &PATCHES,
    &APPROVALS,
    &GRAPH,
    &SERVER,
    &SHARING,
    &SELECTORS,
    &DRAFTS,
    &WHO_FILES,
    &PULL_REQUESTS,
    &COVERAGE,
    &TRUST,
    &EVALS,
];

#[test]
fn every_command_with_a_prompt_is_followed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = crate::tidy::pages_of_the_book();
    pages.push(root.join("README.md"));
    let mut wrong = Vec::new();
    for path in pages {
        let name = path.strip_prefix(root).expect("below the top").display().to_string();
        let mut text = fs::read_to_string(&path).expect("the page");
        for followed in ALL.iter().filter(|followed| followed.page == name) {
            let (before, rest) = text.split_once(followed.begin).expect("its beginning");
            let (_, after) = rest.split_once(followed.end).expect("its end");
            text = format!("{before}{after}");
        }
        wrong.extend(text.lines().filter(|line| line.starts_with("    $ ")).map(|line| format!("{name}: {line}")));
    }
    assert!(wrong.is_empty(), "nobody follows these:\n{}", wrong.join("\n"));
}

#[test]
fn runs_of_a_skill_are_counted_as_its_page_shows() {
    shown(&EVALS);
}

#[test]
fn a_server_takes_what_is_good_and_says_why_it_refuses_the_rest() {
    shown(&SERVER);
}

#[test]
fn an_approval_of_content_outlives_a_rebase_as_its_page_shows() {
    shown(&APPROVALS);
}

#[test]
fn the_tour_prints_what_the_readme_shows() {
    shown(&README);
}

#[test]
fn from_somebodys_repository_to_a_guarded_first_reading_in_ten_commands() {
    shown(&START);
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/start.md")).expect("the page");
    let (_, after) = page.split_once("**1.**").expect("the first command");
    let (hour, _) = after.split_once("## What is guarded now").expect("the end");
    assert_eq!(hour.lines().filter(|line| line.starts_with("    $ ")).count(), 10);
    assert!(hour.contains("filed greet/greet pass") && page.contains("warning[yatsu-drift]"), "it is guarded");
}

mod needs_ssh_keygen {
    use super::*;

    #[test]
    #[ignore = "needs ssh-keygen"]
    fn from_no_key_to_a_branch_that_asks_for_an_independent_pass_in_ten_commands() {
        shown(&TRUST);
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/trust.md")).expect("the page");
        let (_, after) = page.split_once("**1.**").expect("the first command");
        let (ten, _) = after.split_once("## Test results for other programs").expect("the end");
        assert_eq!(ten.lines().filter(|line| line.starts_with("    $ ")).count(), 10);
        assert!(ten.contains("error[trust-unmet]") && ten.contains("(bob@example.org)"), "it asks for another person");
    }
}

#[test]
fn every_command_of_the_page_for_teams_prints_what_it_shows() {
    shown(&TEAMS);
}

#[test]
fn every_command_about_sharing_prints_what_its_page_shows() {
    shown(&SHARING);
}

#[cfg(feature = "units")]
#[test]
fn the_page_about_selectors_prints_what_it_shows_of_a_file_that_it_makes() {
    shown(&SELECTORS);
}

#[test]
fn the_page_about_pull_requests_prints_the_comment_that_it_shows() {
    shown(&PULL_REQUESTS);
}

#[test]
fn the_page_about_who_files_prints_what_it_shows() {
    shown(&WHO_FILES);
}

#[test]
fn the_page_about_drafts_prints_the_scenario_file_that_it_makes() {
    shown(&DRAFTS);
}

#[test]
fn the_worked_example_of_a_goal_prints_what_its_page_shows() {
    shown(&GOALS);
}

#[test]
fn every_command_about_patches_prints_what_its_page_shows() {
    shown(&PATCHES);
}

#[test]
fn the_story_of_the_page_about_the_graph_prints_what_it_shows() {
    shown(&GRAPH);
}

/// A page with two followed parts has two writers.
static WRITING: Mutex<()> = Mutex::new(());

/// Follows the part between two headings of a page, in one shell from the first command to the last.
fn shown(Followed { page, begin, end }: &Followed) {
    let is_update = std::env::var_os("YATSU_UPDATE_TOUR").is_some();
    let _alone = is_update.then(|| WRITING.lock());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once(*begin).expect("the tour");
    let (section, after) = rest.split_once(*end).expect("its end");
    let parts = parts(section);
    let commands: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Command { text, .. } => Some(text.as_str()),
            Part::Prose(_) => None,
        })
        .collect();
    assert!(commands.len() > 2, "the tour is gone");
    for part in &parts {
        let Part::Prose(line) = part else { continue };
        assert!(!line.starts_with("    yatsu-hook"), "a command that is not followed: {line}");
    }
    let printed = run(&Scratch::new(), &commands);
    assert_eq!(printed.len(), commands.len(), "{printed:#?}");
    if is_update {
        fs::write(path, format!("{before}{begin}{}{end}{after}", written(&parts, &printed))).expect("written");
        return;
    }
    let mut printed = printed.iter();
    for part in &parts {
        let Part::Command { text, output } = part else { continue };
        let now = printed.next().expect("one for each");
        assert_eq!(blurred(now), blurred(output), "$ {text}");
    }
}

fn written(parts: &[Part], printed: &[String]) -> String {
    let mut printed = printed.iter();
    let mut section = String::new();
    for part in parts {
        match part {
            Part::Prose(line) => section += &format!("{line}\n"),
            Part::Command { text, .. } => {
                let output = printed.next().expect("one for each");
                for line in format!("$ {text}\n{output}").lines() {
                    section += format!("    {line}").trim_end();
                    section.push('\n');
                }
            }
        }
    }
    section
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn every_command_about_run_logs_prints_what_its_page_shows() {
        shown(&RUNS);
    }
}
