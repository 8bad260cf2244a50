//! `graph`: the event graph and queries of it.

use crate::app::judge::verdict::Reader;
use crate::app::progress::ProgressStep;
use crate::cli::Exit;
use crate::cli::args::formats;
use crate::cli::args::groups::Heading;
use crate::cli::call::{Call, FROM_HERE};
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Stream;
use crate::cli::progress::Progress;
use crate::error::{Error, Result};
use crate::features::graph::judge::{
    DerivedGraph, GraphAnswer, GraphSource, GraphView, LineageWays, between, detail, lineage, lines_of, ops, show,
    summary, why,
};
use crate::features::graph::model::answer::{GraphContent, GraphTree};
use crate::features::graph::print as graph_text;
use crate::features::graph::verbs::check::check;
use crate::features::graph::verbs::graph_args::{
    DrawingArgs, GraphArgs, GraphCheckArgs, GraphOfArgs, GraphShowArgs, LineageArgs,
};
use crate::repo::Repo;
use crate::report::{Format, ScopeMode, Style};
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

/// Most nodes of a drawing that a person still reads.
const DRAWN: usize = 40;
/// A log larger than this is not read, because it would fill the memory.
const MOST_READ: u64 = 256 << 20;

/// The formats of an answer that can be drawn.
const DRAWINGS: &[Format] = &[Format::Human, Format::Json, Format::Dot, Format::Mermaid];

impl FeatureArgs for GraphArgs {
    const NAME: &'static str = "graph";
    const AFTER: &'static str = "patch";
    const LISTED: (Heading, u16) = (Heading::More, 170);

    fn formats(below: &[&str]) -> &'static [Format] {
        match below {
            ["ops"] => formats::HUMAN,
            ["show" | "lineage" | "why" | "replay"] => DRAWINGS,
            ["check"] => formats::FINDINGS,
            _ => formats::ANSWER,
        }
    }

    fn mode(&self) -> Option<ScopeMode> {
        match self {
            Self::Check(args) => Some(args.mode()),
            _ => None,
        }
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        graph(call, self)
    }
}

fn graph(call: Call<'_>, args: GraphArgs) -> Result<Exit> {
    let _progress = Progress::start(call.global, ProgressStep::Work("replaying what is there"));
    match args {
        GraphArgs::Show(args) => shown(call, args),
        GraphArgs::Lineage(args) => traced(call, &args),
        GraphArgs::Why { path, drawing, of } => explained(call, &path, drawing, &of),
        GraphArgs::Diff { range, log } => differing(call, &range, log.as_deref()),
        GraphArgs::Ops(args) => printed(call, &args),
        GraphArgs::Replay { file, drawing } => replayed(call, &file, drawing),
        GraphArgs::Digest(args) => digested(call, &args),
        GraphArgs::Check(args) => checked(call, &args),
    }
}

fn shown(call: Call<'_>, args: GraphShowArgs) -> Result<Exit> {
    let GraphShowArgs { id, depth, kinds, all, drawing, of } = args;
    let by_kind = !kinds.is_empty();
    let most = room(call, drawing)?;
    let answer = show(derived(call, &of)?, id.as_deref(), depth, &kinds, all)?.limited(most);
    answered(call, &answer, |style, out| match detail(&answer) {
        Some(detail) => graph_text::write_detail(&detail, answer.head(), style, out),
        None if by_kind => graph_text::write_lines(&lines_of(&answer), answer.head(), style, out),
        None => graph_text::write_summary(&summary(&answer), answer.head(), style, out),
    })
}

/// The most nodes of the answer: only a drawing is limited.
fn room(call: Call<'_>, drawing: DrawingArgs) -> Result<usize> {
    let is_drawn = matches!(call.global.format, Format::Dot | Format::Mermaid);
    match drawing.nodes {
        Some(_) if !is_drawn => {
            Err(Error::usage("--nodes limits a drawing").hint("add --format dot or --format mermaid"))
        }
        None if is_drawn => Ok(DRAWN),
        None | Some(0) => Ok(usize::MAX),
        Some(most) => Ok(most),
    }
}

fn traced(call: Call<'_>, args: &LineageArgs) -> Result<Exit> {
    let ways = match (args.up, args.down) {
        (true, _) => LineageWays::Up,
        (_, true) => LineageWays::Down,
        _ => LineageWays::Both,
    };
    let most = room(call, args.drawing)?;
    let (answer, trees) = lineage(derived(call, &args.of)?, &args.id, ways, args.depth, args.all)?;
    trees_of(call, &answer.limited(most), &trees)
}

fn explained(call: Call<'_>, typed: &Path, drawing: DrawingArgs, of: &GraphOfArgs) -> Result<Exit> {
    let most = room(call, drawing)?;
    let repo = Repo::open(&crate::repo::open::env::Env::from_process(), &call.here()?);
    let path = match &repo {
        Ok(repo) => call.in_repository(repo, typed)?,
        // a log may be queried outside of a repository
        Err(_) => RepoPath::parse(typed.as_os_str().as_encoded_bytes()).map_err(|problem| {
            Error::usage(format!("{} {}", typed.display(), problem.as_str())).hint("name it as the log does")
        })?,
    };
    let (answer, trees) = match of.log {
        Some(_) => why(derived(call, of)?, None, &path)?,
        None => {
            let view = GraphView { repo: &repo?, rev: of.rev.as_deref(), branches: true };
            why(DerivedGraph::of(&GraphSource::View(view), None)?, Some(view), &path)?
        }
    };
    trees_of(call, &answer.limited(most), &trees)
}

fn trees_of(call: Call<'_>, answer: &GraphAnswer, trees: &[GraphTree]) -> Result<Exit> {
    answered(call, answer, |style, out| graph_text::write_trees(trees, answer.head(), style, out))
}

fn replayed(call: Call<'_>, file: &Path, drawing: DrawingArgs) -> Result<Exit> {
    let most = room(call, drawing)?;
    let source = if file == Path::new("-") { standard_input()? } else { log_on_disk(call, file)? };
    let answer = GraphAnswer::whole(DerivedGraph::of(&source, None)?).limited(most);
    answered(call, &answer, |style, out| graph_text::write_summary(&summary(&answer), answer.head(), style, out))
}

fn digested(call: Call<'_>, args: &GraphOfArgs) -> Result<Exit> {
    let head = match args.log {
        // the digest leaves out local facts, so the branches need not be read for it
        None if !call.is_machine() => of_view(call, args.rev.as_deref(), false)?.head(),
        _ => derived(call, args)?.head(),
    };
    call.answer(|out| match call.is_machine() {
        true => graph_text::write_digest_json(&head, out),
        false => graph_text::write_digest(&head, out),
    })
}

fn printed(call: Call<'_>, args: &GraphOfArgs) -> Result<Exit> {
    let lines = match &args.log {
        None => {
            let (repo, rev) = (call.repo()?, args.rev.as_deref());
            ops(&GraphSource::View(GraphView { repo: &repo, rev, branches: true }))?
        }
        Some(_) => ops(&log(call, args)?)?,
    };
    call.answer(|out| graph_text::write_ops(&lines, out))
}

fn checked(call: Call<'_>, args: &GraphCheckArgs) -> Result<Exit> {
    let (mode, options) = (args.mode(), call.options(args.strict, Reader::Person));
    let report = match args.of.log {
        Some(_) => check(&log(call, &args.of)?, mode, options),
        None => {
            let (repo, rev) = (call.repo()?, args.of.rev.as_deref());
            check(&GraphSource::View(GraphView { repo: &repo, rev, branches: true }), mode, options)
        }
    };
    Ok(call.emit(report?))
}

fn differing(call: Call<'_>, range: &str, log: Option<&Path>) -> Result<Exit> {
    let (before, after) = range.split_once("..").filter(|(_, after)| !after.starts_with('.')).ok_or_else(|| {
        Error::usage(format!("`{}` is not two commits", echo(range))).hint("write A..B, as main..HEAD")
    })?;
    let [before, after] = [before, after].map(|rev| if rev.is_empty() { "HEAD" } else { rev });
    let side = |rev: &str| derived(call, &GraphOfArgs { rev: Some(rev.to_owned()), log: log.map(Path::to_owned) });
    let revs = [before, after];
    let [before, after] = [side(before)?, side(after)?];
    let repo = call.repo()?;
    // no words of a line that one side redacts
    let shown = |rev: &str, one: &DerivedGraph, other: &DerivedGraph| {
        one.without_redacted(&GraphView { repo: &repo, rev: Some(rev), branches: true }, other)
    };
    let (less, more) = (shown(revs[0], &before, &after)?, shown(revs[1], &after, &before)?);
    let rows = between(less.as_ref().unwrap_or(&before), more.as_ref().unwrap_or(&after));
    let heads = [before.head(), after.head()];
    call.answer(|out| match call.is_machine() {
        true => graph_text::write_diff_json(&rows, &heads[0], &heads[1], out),
        false => {
            let digests = [&*heads[0].digest, &*heads[1].digest];
            graph_text::write_diff(&rows, digests, &call.global.style(Stream::Out), out)
        }
    })
}

/// Prints a graph in the requested format.
fn answered(
    call: Call<'_>,
    answer: &GraphAnswer,
    human: impl FnOnce(&Style, &mut dyn Write) -> io::Result<()>,
) -> Result<Exit> {
    call.answer(|out| match call.global.format {
        Format::Json => graph_text::write_json(answer, out),
        Format::Dot => graph_text::write_dot(answer, out),
        Format::Mermaid => graph_text::write_mermaid(answer, out),
        Format::Human | Format::Sarif | Format::Github | Format::Markdown | Format::Junit => {
            human(&call.global.style(Stream::Out), out)
        }
    })
}

/// The graph of the typed log or commit.
fn derived(call: Call<'_>, of: &GraphOfArgs) -> Result<DerivedGraph> {
    match (&of.log, of.rev.as_deref()) {
        (None, rev) => of_view(call, rev, true),
        (Some(_), _) => DerivedGraph::of(&log(call, of)?, None),
    }
}

fn of_view(call: Call<'_>, rev: Option<&str>, branches: bool) -> Result<DerivedGraph> {
    DerivedGraph::of(&GraphSource::View(GraphView { repo: &call.repo()?, rev, branches }), None)
}

/// The typed log, from disk or from a commit.
fn log<'s>(call: Call<'_>, of: &GraphOfArgs) -> Result<GraphSource<'s>> {
    let file = of.log.as_deref().unwrap_or(Path::new("-"));
    let Some(rev) = &of.rev else { return log_on_disk(call, file) };
    let repo = call.repo()?;
    let path = call.in_repository(&repo, file)?;
    let bytes = repo.commit_view(&repo.resolve(rev)?)?.read(&path)?;
    let bytes = bytes.ok_or_else(|| {
        Error::usage(format!("{path} is no file of {}", echo(rev))).hint("the one on disk is asked without --rev")
    })?;
    let typed = format!("{} --rev {}", shell::word(&file.to_string_lossy()), shell::word(rev));
    Ok(GraphSource::Log { name: path.to_string(), bytes, typed })
}

fn log_on_disk<'s>(call: Call<'_>, file: &Path) -> Result<GraphSource<'s>> {
    let path = call.here()?.join(file);
    let shown = echo(&file.to_string_lossy()).into_owned();
    let unreadable = |error: io::Error| Error::usage(format!("{shown}: {error}")).hint(FROM_HERE);
    let opened = std::fs::File::open(path).map_err(unreadable)?;
    let (name, bytes) = (file.to_string_lossy().into_owned(), read(opened, &shown)?);
    let typed = shell::word(&name);
    Ok(GraphSource::Log { name, bytes, typed })
}

fn standard_input<'s>() -> Result<GraphSource<'s>> {
    let input = io::stdin();
    if input.is_terminal() {
        return Err(
            Error::usage("standard input is a terminal").hint("yatsu-hook graph ops | yatsu-hook graph replay -")
        );
    }
    let bytes = read(input.lock(), "standard input")?;
    // standard input cannot be read again
    Ok(GraphSource::Log { name: "-".to_owned(), bytes, typed: "FILE".to_owned() })
}

fn read(source: impl Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(MOST_READ + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::usage(format!("{name} cannot be read: {error}")).hint("a log is a file"))?;
    if bytes.len() as u64 > MOST_READ {
        return Err(Error::unchecked(format!("{name} is larger than {MOST_READ} bytes and was not read"))
            .hint("give the log in parts; a part needs the events that it builds on"));
    }
    Ok(bytes)
}
