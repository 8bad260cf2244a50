//! The arguments of `runlog`.

use crate::cli::args::values::typed_by_spelling;
use crate::features::runlogs::judge::record::RunStatus;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

typed_by_spelling!(RunStatus);

/// Record a run event by event, and resume it after a crash
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "runlog",
    after_help = "Examples:\n  yatsu-hook runlog start\n  yatsu-hook runlog add note text='halfway'\n  \
                  yatsu-hook runlog resume\n\n\
                  A run log has one writer; docs/runlogs.md explains it."
)]
pub(crate) enum RunlogArgs {
    /// Start a run: its first lines in one write
    #[command(after_help = "Examples:\n  yatsu-hook runlog start\n  \
                            yatsu-hook runlog start quality/run_state.jsonl benchmark=chi lever_state=baseline \
                            runner=claude playbook_version=1.5.6 target_path=.\n\n\
                            Without FILE the log is a new file in .yatsu/runs.")]
    Start(StartRunArgs),
    /// Append one event
    #[command(after_help = "Examples:\n  yatsu-hook runlog add note text='the server is slow'\n  \
                            yatsu-hook runlog add artifact_written relative_path=quality/EXPLORATION.md \
                            byte_size:=12034")]
    Add {
        /// The event, one that the log declares
        #[arg(value_name = "EVENT")]
        event: String,
        /// Its fields: FIELD=TEXT, or FIELD:=JSON for numbers and objects
        #[arg(value_name = "FIELD=VALUE")]
        fields: Vec<String>,
        #[command(flatten)]
        log: LogArgs,
    },
    /// Begin and end phases
    #[command(subcommand, after_help = "Examples:\n  yatsu-hook runlog phase start 2\n  yatsu-hook runlog phase end 2")]
    Phase(PhaseArgs),
    /// End a run
    #[command(after_help = "Examples:\n  yatsu-hook runlog end success\n  yatsu-hook runlog end aborted\n\n\
                            A success needs every phase ended and everything there that the profile asks for.")]
    End {
        /// How it ended
        #[arg(value_enum, value_name = "success|aborted|failed")]
        status: RunStatus,
        #[command(flatten)]
        log: LogArgs,
    },
    /// Judge run logs as they lie on disk: their lines, their past, and what they claim to have left behind
    #[command(after_help = "Examples:\n  yatsu-hook runlog check\n  \
                            yatsu-hook runlog check quality/run_state.jsonl --format json\n\n\
                            Without FILE all run logs of the work tree. Nothing is corrected.")]
    Check {
        /// The logs [default: all]
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Warnings become errors
        #[arg(long)]
        strict: bool,
    },
    /// Say how a run goes on that was broken off
    #[command(
        after_help = "Examples:\n  yatsu-hook runlog resume\n  yatsu-hook runlog resume --apply --format json\n\n\
                            What is on disk is trusted more than the events."
    )]
    Resume {
        /// The log [default: the log of the only open run]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Append exactly what the plan says; a second time there is nothing to append
        #[arg(long)]
        apply: bool,
    },
    /// Write the page of a run
    #[command(after_help = "Examples:\n  yatsu-hook runlog progress\n  yatsu-hook runlog progress --check")]
    Progress {
        /// The log [default: the log of the only open run]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Write nothing; exit code 1 where the page is not what the log renders to
        #[arg(long)]
        check: bool,
    },
    /// The runs of the work tree, with how far they are
    #[command(after_help = "Examples:\n  yatsu-hook runlog ls\n  yatsu-hook runlog ls --format json")]
    Ls,
}

/// Which log is appended to.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogArgs {
    /// The log [default: the log of the only open run]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StartRunArgs {
    /// The profile [default: the profile of FILE's place; measure without FILE]
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
    /// The log, which must not be there
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Fields of the first two events: FIELD=TEXT, or FIELD:=JSON for numbers and lists
    #[arg(value_name = "FIELD=VALUE")]
    pub(crate) fields: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum PhaseArgs {
    /// Begin a phase
    #[command(after_help = "Examples:\n  yatsu-hook runlog phase start 2")]
    Start {
        /// Its number
        #[arg(value_name = "N")]
        n: String,
        #[command(flatten)]
        log: LogArgs,
    },
    /// End a phase that left everything behind that its profile asks for
    #[command(after_help = "Examples:\n  yatsu-hook runlog phase end 1 findings_total=12 patterns_walked=7 \
                            --artifact quality/EXPLORATION.md\n\n\
                            What is missing is named, an error is appended where the log knows it, and the phase \
                            stays open.")]
    End {
        /// Its number
        #[arg(value_name = "N")]
        n: String,
        /// The counts of the phase; a value that looks like a number is stored as a number
        #[arg(value_name = "COUNT=VALUE")]
        counts: Vec<String>,
        /// A file that the phase produced, beside those of its artifact_written events; may be repeated
        #[arg(long = "artifact", value_name = "PATH")]
        artifacts: Vec<String>,
        #[command(flatten)]
        log: LogArgs,
    },
}
