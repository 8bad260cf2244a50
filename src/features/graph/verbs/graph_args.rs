//! The arguments of `graph`.

use crate::report::ScopeMode;
use clap::{Args, Parser};
use std::path::PathBuf;

/// Ask why things are as they are: all that was recorded as one graph
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "graph",
    after_help = "Examples:\n  yatsu-hook graph show\n  yatsu-hook graph why src/board.ts\n  \
                            yatsu-hook graph lineage goal:board --up\n\n\
                            It is derived from ledgers, scenario files, run logs and git, and stored nowhere; \
                            docs/graph.md draws an example."
)]
pub(crate) enum GraphArgs {
    /// How many nodes there are and which failures are open; with an ID that node and what is around it
    #[command(
        after_help = "Examples:\n  yatsu-hook graph show\n  yatsu-hook graph show goal:board --depth 2 --format mermaid\n  \
                            yatsu-hook graph show --kind failure --all\n  \
                            yatsu-hook graph show --format dot --nodes 0 | dot -Tsvg"
    )]
    Show(GraphShowArgs),
    /// The nodes that a node comes from or leads to, over any number of relations
    #[command(after_help = "Examples:\n  yatsu-hook graph lineage goal:board --up\n  \
                            yatsu-hook graph lineage failure:board#renders@2026-01-01T00:00:00.000Z --depth 3")]
    Lineage(LineageArgs),
    /// Why a file is as it is: who governs it, what was measured, what failed, what was thought and decided of it
    #[command(after_help = "Examples:\n  yatsu-hook graph why src/board.ts")]
    Why {
        /// The file
        #[arg(value_name = "PATH")]
        path: PathBuf,
        #[command(flatten)]
        drawing: DrawingArgs,
        #[command(flatten)]
        of: GraphOfArgs,
    },
    /// Nodes and relations that came, went or changed between two commits
    #[command(after_help = "Examples:\n  yatsu-hook graph diff main..HEAD\n  yatsu-hook graph diff v1.. --format json")]
    Diff {
        /// Two commits, A..B; a side that is left out is HEAD
        #[arg(value_name = "A..B")]
        range: String,
        /// Of this event log as both commits hold it
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// The steps that make the graph, one a line, as replay reads them
    #[command(after_help = "Examples:\n  yatsu-hook graph ops | yatsu-hook graph replay -")]
    Ops(GraphOfArgs),
    /// Replay such steps, or an event log of another program
    #[command(after_help = "Examples:\n  yatsu-hook graph replay state/events.jsonl\n  \
                            yatsu-hook graph replay state/events.jsonl --format json")]
    Replay {
        /// The log, or `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        drawing: DrawingArgs,
    },
    /// The digest of the graph: the same for the same commit on every machine
    #[command(after_help = "Examples:\n  yatsu-hook graph digest\n  yatsu-hook graph digest --rev HEAD~1")]
    Digest(GraphOfArgs),
    /// What the graph cannot show: unreadable lines, relations that lead nowhere
    #[command(after_help = "Examples:\n  yatsu-hook graph check\n  yatsu-hook graph check --log state/events.jsonl")]
    Check(GraphCheckArgs),
}

/// What a graph is made of.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphOfArgs {
    /// Of this commit, not of the working tree
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// Of this event log instead, replayed; with --rev as that commit holds it
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphShowArgs {
    /// A node: goal:NODE, scenario:NODE#NAME, failure:NODE#NAME@TIME, file:PATH, commit:ID, …; NODE is a directory, an id or a
    /// last name. Or a scenario as NODE/SCENARIO
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// How far around the node, in relations [default: 1]
    #[arg(long, value_name = "N", requires = "id")]
    pub(crate) depth: Option<usize>,
    /// Only nodes of this kind; may be repeated
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// Also what was withdrawn
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) drawing: DrawingArgs,
    #[command(flatten)]
    pub(crate) of: GraphOfArgs,
}

/// How large a drawing may be.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DrawingArgs {
    /// Most nodes of a drawing with --format dot or mermaid; 0 draws all [default: 40]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<usize>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineageArgs {
    /// The node, as `graph show` takes it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// How many relations far; as far as it goes without it
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Only upwards: the nodes that this node comes from
    #[arg(long, group = "way")]
    pub(crate) up: bool,
    /// Only downwards: the nodes that this node leads to
    #[arg(long, group = "way")]
    pub(crate) down: bool,
    /// Also over what was withdrawn
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) drawing: DrawingArgs,
    #[command(flatten)]
    pub(crate) of: GraphOfArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphCheckArgs {
    /// Turn warnings into errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) of: GraphOfArgs,
}

impl GraphCheckArgs {
    /// The content that is examined.
    pub(crate) fn mode(&self) -> ScopeMode {
        match (&self.of.log, &self.of.rev) {
            (Some(_), _) => ScopeMode::Files,
            (None, Some(_)) => ScopeMode::Rev,
            (None, None) => ScopeMode::All,
        }
    }
}
