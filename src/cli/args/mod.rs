//! The command line as typed: every verb with its closed set of flags and its help. Only this module and the printers
//! of its texts use clap. The arguments that git passes to hooks are recognised before the large description is built,
//! because a hook runs on every commit.

pub(crate) mod check;
pub(crate) mod filing;
pub(crate) mod formats;
pub(crate) mod global;
pub(crate) mod groups;
pub(crate) mod install;
pub(crate) mod record;
pub(crate) mod start;
mod typed_paths;
pub(crate) mod values;
pub(crate) mod view;

use crate::features;
use crate::repo::program::cloud::CLOUD_VERSION;
use crate::report::{Format, ScopeMode};
use crate::sys;
use check::{CheckArgs, HookArgs, PushArgs, RunArgs, ScanArgs, ValidateArgs};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use global::GlobalArgs;
use groups::Heading;
use install::{InstallArgs, UninstallArgs};
use record::{CleanArgs, EvalArgs, EvidenceArgs, FoldArgs, MergeArgs, RedactArgs, RepairArgs, RetractArgs};
use start::{BeginArgs, NewArgs};
use std::ffi::OsString;
use std::sync::LazyLock;
use view::{ConfigArgs, ImpactArgs, ListArgs, ShowArgs, UnitsArgs, UsageArgs};

const AFTER_HELP: &str = "\
Exit codes, the same for every verb and format:
  0  clean; advice is allowed
  1  at least one error-level finding, or a write was refused
  2  wrong arguments or an unusable configuration
  3  could not check: git, the disk, a lock or the kind of repository stood in the way

Exit code 3 blocks, in hooks too: what was not checked did not pass. The message says what stood in the way and how to \
mend it.

Exit code 0 does not prove that the code works: yatsu-hook runs nothing. It proves that the filed readings are \
well-formed, complete and unaltered, and says which of them are still valid for the judged content. It cannot know \
whether the measurements are honest and whether the scenarios are the right ones.

Examples:
  yatsu-hook install                           let git call the gate
  yatsu-hook check --staged                    what would the gate say now?
  yatsu-hook scan                              the score of the whole repository
  yatsu-hook impact src/board.ts               what would an edit make stale?
  yatsu-hook eval board/renders --pass --image shot.png";

/// The version that `--version` prints. A program that can talk to object storage shows it, for example `0.1.0+cloud`.
const VERSION: &str = if cfg!(feature = "cloud") { CLOUD_VERSION } else { env!("CARGO_PKG_VERSION") };

/// Keeps a repository honest about what was measured
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "yatsu-hook",
    version = VERSION,
    about,
    after_long_help = AFTER_HELP,
    max_term_width = 120,
    disable_help_subcommand = true
)]
struct Program {
    #[command(flatten)]
    global: GlobalArgs,
}

/// A typed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cli {
    pub(super) global: GlobalArgs,
    pub(super) verb: Verb,
    /// The formats that the verb can print, the human one first.
    pub(super) formats: &'static [Format],
}

/// The description of the command line: the verbs of the core and, each behind another one, the verbs of the features.
fn plain_command() -> clap::Command {
    let mut core = Verb::augment_subcommands(clap::Command::new("core"));
    let mut verbs: Vec<clap::Command> = core.get_subcommands_mut().map(std::mem::take).collect();
    let mut left: Vec<_> = features::verbs().collect();
    while !left.is_empty() {
        let count = left.len();
        left.retain(|verb| match verbs.iter().position(|known| known.get_name() == verb.after) {
            Some(at) => {
                verbs.insert(at + 1, (verb.command)());
                false
            }
            None => true,
        });
        // the verb before them is gone with its feature
        if left.len() == count {
            verbs.extend(left.drain(..).map(|verb| (verb.command)()));
        }
    }
    Program::command().subcommands(verbs).subcommand_required(true).arg_required_else_help(true)
}

/// The formats of the verb of a feature with the subverbs `below`.
fn formats_of_feature(name: &str, below: &[&str]) -> Option<&'static [Format]> {
    Some((features::verb(name)?.formats)(below))
}

/// The verbs of the features below a heading of the help pages, each with its rank.
fn listed(heading: Heading) -> impl Iterator<Item = (u16, &'static str)> {
    features::verbs().filter(move |verb| verb.listed.0 == heading).map(|verb| (verb.listed.1, verb.name))
}

/// The description of the command line, with its help pages.
pub(super) fn command() -> clap::Command {
    groups::with_pages(plain_command())
}

/// The first help page, as `-h` prints it.
pub(super) fn first_page() -> String {
    command().render_help().to_string()
}

/// The verbs that help lists, by name.
pub(super) fn verb_names() -> Vec<String> {
    let command = command();
    let listed = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    listed.map(|verb| verb.get_name().to_owned()).collect()
}

/// Whether `word` is a verb.
pub(super) fn is_verb(word: &str) -> bool {
    // A report asks this for every command in it, and building the whole command line takes long.
    static VERBS: LazyLock<Vec<String>> =
        LazyLock::new(|| plain_command().get_subcommands().map(|verb| verb.get_name().to_owned()).collect());
    VERBS.iter().any(|verb| verb == word)
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(super) enum Verb {
    /// Begin a scenario: a commented file that passes the gate
    #[command(
        aliases = ["init", "add"],
        after_help = "Examples:\n  yatsu-hook new --code src/greet.rs\n  \
                      yatsu-hook new board/list --code src/list.ts --scenario renders --tag frontend-e2e\n  \
                      yatsu-hook new --from features/cart.feature --code src/list.ts\n\n\
                      Writes spec.md and yatsu.md in a directory of their own below .spec, judged before they are written; \
                      what is there is never replaced."
    )]
    New(NewArgs),
    /// Judge the index before a commit; git's hook
    #[command(after_help = "Examples:\n  yatsu-hook pre-commit\n  YATSU_HOOK=0 git commit    skips it once")]
    PreCommit(HookArgs),
    /// Judge the index before a merge commit; git's hook
    #[command(after_help = "Examples:\n  yatsu-hook pre-merge-commit")]
    PreMergeCommit(HookArgs),
    /// Judge what a push would send; git's hook, reads its standard input
    #[command(after_help = "Examples:\n  yatsu-hook pre-push \"$@\"    in .git/hooks/pre-push")]
    PrePush(PushArgs),
    /// Judge what a push brings, in quarantine; git's hook, reads its standard input
    #[command(after_help = "Examples:\n  yatsu-hook pre-receive    in hooks/pre-receive of a bare repository")]
    PreReceive(HookArgs),
    /// Find the stage and judge accordingly, for hook frameworks
    #[command(after_help = "Examples:\n  yatsu-hook run\n  yatsu-hook run --stage pre-push")]
    Run(RunArgs),
    /// Judge the working tree, the index, a commit or a range
    #[command(after_help = "Examples:\n  yatsu-hook check\n  yatsu-hook check --staged -- .spec/board\n  \
                            yatsu-hook check --from origin/main --to HEAD --format github")]
    Check(CheckArgs),
    /// The score: every rule over all nodes, or over the nodes that the branch touched
    #[command(after_help = "Examples:\n  yatsu-hook scan\n  yatsu-hook scan --changed --tag cli\n  \
                            yatsu-hook scan board --format json")]
    Scan(ScanArgs),
    /// Judge the named files alone
    #[command(after_help = "Examples:\n  yatsu-hook validate -- .spec/board/yatsu.md\n  \
                            yatsu-hook validate -- .spec/board/eval.md    in a repository that uses the newer names")]
    Validate(ValidateArgs),
    /// Print a token of what is about to be measured, for `eval --began`
    #[command(after_help = "Examples:\n  began=$(yatsu-hook begin board/renders)\n  make test\n  \
                            yatsu-hook eval board/renders --pass --began \"$began\"\n\n\
                            Stores nothing. Name the scenarios as for `eval`; docs/coverage.md says what a token sees.")]
    Begin(BeginArgs),
    /// File one reading
    #[command(after_help = "Examples:\n  yatsu-hook eval board/renders --pass --image shot.png\n  \
                            make test | yatsu-hook eval board --fail --result - --note 'wrong order'\n  \
                            yatsu-hook eval --from-junit report.xml --exit \"$code\"\n\n\
                            A reading that the ledger already holds as its latest is not filed again: exit 0.")]
    Eval(Box<EvalArgs>),
    /// Withdraw one reading
    #[command(after_help = "Examples:\n  yatsu-hook retract board/renders\n  \
                            yatsu-hook retract board/renders --ts 2026-01-01T00:00:00.000Z")]
    Retract(RetractArgs),
    /// Take a ledger line out: a secret, a name that must go
    #[command(after_help = "Examples:\n  yatsu-hook redact board/renders --ts 2026-01-01T00:00:00.000Z \
                            --reason 'names a customer'\n\n\
                            The line counts no more. Commits that hold it keep it: what was published stays published \
                            until history is rewritten.")]
    Redact(RedactArgs),
    /// Collect evidence that no reading names
    #[command(after_help = "Examples:\n  yatsu-hook clean --dry-run\n  yatsu-hook clean --keep-latest\n  \
                            yatsu-hook clean --undo")]
    Clean(CleanArgs),
    /// Mend torn, glued, doubled and lost lines of ledgers and run logs
    #[command(after_help = "Examples:\n  yatsu-hook repair --dry-run\n  yatsu-hook repair --restore HEAD~1")]
    Repair(RepairArgs),
    /// Move the readings of committed segments into the trunk files of their ledgers
    #[command(after_help = "Examples:\n  yatsu-hook fold --dry-run\n  yatsu-hook fold\n  yatsu-hook fold --here\n\n\
                            On the main branch alone: two folds conflict. docs/ci.md says when to fold.")]
    Fold(FoldArgs),
    /// Merge a ledger; git's merge driver
    #[command(after_help = "Examples:\n  yatsu-hook install --merge-driver\n  \
                            yatsu-hook merge-ledger %O %A %B %P    as git runs it")]
    MergeLedger(MergeArgs),
    /// Use the evidence store alone
    #[command(subcommand, after_help = "Examples:\n  yatsu-hook evidence put shot.png\n  yatsu-hook evidence check")]
    Evidence(EvidenceArgs),
    /// The timeline of a node, newest reading first
    #[command(after_help = "Examples:\n  yatsu-hook show board\n  yatsu-hook show --format json")]
    Show(ShowArgs),
    /// The scenarios with their latest state
    #[command(after_help = "Examples:\n  yatsu-hook ls --stale\n  yatsu-hook ls --unmeasured --tag cli")]
    Ls(ListArgs),
    /// Which scenarios an edit of these paths would make stale
    #[command(
        after_help = "Examples:\n  yatsu-hook impact src/board.ts src/list.ts\n  yatsu-hook impact src/board.ts#Board.draw\n  \
                      yatsu-hook impact --staged\n  yatsu-hook impact --base main\n\n\
                      A touched file is not listed if its governed units are unchanged.\n\
                      Only governed content counts. `yatsu-hook check --staged` also shows the other causes of \
                      stale readings: an edit of the scenario's own text, or another version of an evaluator."
    )]
    Impact(ImpactArgs),
    /// The named declarations of a source file, with their lines
    #[command(after_help = "Examples:\n  yatsu-hook units src/board.ts\n  yatsu-hook units src/board.ts --rev main")]
    Units(UnitsArgs),
    /// What runs and scenarios cost, beside what yatsu.budgets allows
    #[command(
        after_help = "Examples:\n  yatsu-hook usage\n  yatsu-hook usage board\n  yatsu-hook usage --run nightly-7 \
                            --format json\n\n\
                            Everything that was spent counts, readings that were withdrawn too."
    )]
    Usage(UsageArgs),
    /// What a rule, a key, a file or a topic means
    #[command(after_help = "Examples:\n  yatsu-hook explain yatsu-drift\n  yatsu-hook explain yatsu.evidenceFor\n  \
                            yatsu-hook explain src/board.ts\n  yatsu-hook explain run log\n  \
                            yatsu-hook explain agents >> AGENTS.md")]
    Explain {
        /// A word of the glossary (stale, run log), a rule, a key of one of our files, a file (./x is always one), a topic
        /// (agents, exit-codes, sharing) or a verb; without it all rules in one line each, and the names of the others
        #[arg(value_name = "WORD")]
        words: Vec<String>,
    },
    /// Say whether the gate is really in place, and how to mend it
    #[command(after_help = "Examples:\n  yatsu-hook doctor\n  yatsu-hook doctor --format json\n\n\
                            Exit code 0: fine, advice allowed; 1: something is broken, or nothing is installed in \
                            this clone; 3: something could not be looked at.")]
    Doctor,
    /// The configuration
    #[command(subcommand, after_help = "Examples:\n  yatsu-hook config show\n  yatsu-hook config check")]
    Config(ConfigArgs),
    /// Print a completion script
    #[command(
        after_help = "Examples:\n  yatsu-hook completions bash > ~/.local/share/bash-completion/completions/yatsu-hook\n  \
                      yatsu-hook completions zsh > ~/.zfunc/_yatsu-hook    where fpath has ~/.zfunc\n  \
                      yatsu-hook completions fish > ~/.config/fish/completions/yatsu-hook.fish\n\n\
                      bash, zsh and fish complete nodes, scenarios, tags, rules, runs and branches too: their scripts ask \
                      the program while you type, and wait for at most 100 ms. YATSU_PATIENCE=N lets them wait N times as long."
    )]
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Examples:\n  yatsu-hook man | man -l -")]
    Man,
    /// Print the help of a verb, or of a group of verbs
    #[command(after_help = "Examples:\n  yatsu-hook help eval\n  yatsu-hook help claim next\n  yatsu-hook help more")]
    Help {
        /// A verb, a verb and one below it, `more` (the verbs that the first page leaves out) or `hooks` (what git calls)
        #[arg(value_name = "VERB")]
        words: Vec<String>,
    },
    /// Let git call the gate
    #[command(after_help = "Examples:\n  yatsu-hook install\n  yatsu-hook install --dry-run\n  \
                            yatsu-hook install --hooks pre-commit --no-merge-driver\n\n\
                            Shows how the repository stands when it is done; the exit code is about the installation.")]
    Install(InstallArgs),
    /// Undo install
    #[command(after_help = "Examples:\n  yatsu-hook uninstall\n  yatsu-hook uninstall --dry-run")]
    Uninstall(UninstallArgs),
    /// The verb of a feature.
    #[command(skip)]
    OfFeature {
        name: &'static str,
        /// What stands behind the name; `None` for the words of a harness alone.
        typed: Option<ArgMatches>,
    },
}

/// Parses the arguments, without the program's name.
///
/// # Errors
/// clap's error. It also carries the texts of `--help` and `--version`.
pub(super) fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    if let Some(verb) = hook(args) {
        let words = if matches!(verb, Verb::OfFeature { .. }) { &args[..2] } else { &args[..1] };
        let formats = formats::of(&words.iter().filter_map(|word| word.to_str()).collect::<Vec<_>>());
        return Ok(Cli { global: GlobalArgs::default(), verb, formats });
    }
    by_clap(args)
}

fn by_clap(args: &[OsString]) -> Result<Cli, clap::Error> {
    let words = || std::iter::once("yatsu-hook".into()).chain(args.iter().cloned());
    // the help pages take longer to build than most verbs to run, so only a help or an error builds them
    let matches = plain_command().try_get_matches_from(words()).or_else(|_| command().try_get_matches_from(words()))?;
    if let Some(opens_another) = sys::OPENS_ANOTHER {
        typed_paths::refuse_others(&plain_command(), &matches, opens_another)?;
    }
    let of_feature = matches.subcommand().and_then(|(name, typed)| Some((features::verb(name)?.name, typed.clone())));
    let verb = match of_feature {
        Some((name, typed)) => Verb::OfFeature { name, typed: Some(typed) },
        None => Verb::from_arg_matches(&matches)?,
    };
    Ok(Cli { global: GlobalArgs::from_arg_matches(&matches)?, verb, formats: formats::of(&path(&matches)) })
}

/// The typed verb and its subverbs, for example `["claim", "next"]`.
fn path(matches: &ArgMatches) -> Vec<&str> {
    std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand()).map(|(name, _)| name).collect()
}

/// The help of the verb at `words`, or of a group of verbs (`more`, `hooks`); the full help if `words` is empty. `None`
/// for an unknown word.
pub(super) fn help(words: &[String]) -> Option<String> {
    let mut command = command();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["more"] => return Some(groups::page(&command, Heading::More)),
        ["hooks"] => return Some(groups::page(&command, Heading::Hooks)),
        _ => command.build(),
    }
    let verb = words.iter().try_fold(&mut command, |verb, word| verb.find_subcommand_mut(word))?;
    Some(verb.render_long_help().to_string())
}

/// The verb of a hook that was typed without flags. `None` leaves the arguments to clap.
fn hook(args: &[OsString]) -> Option<Verb> {
    let (verb, rest) = args.split_first()?;
    let verb = verb.to_str()?;
    if verb == "pre-push" && rest.len() <= 2 && !rest.iter().any(looks_like_flag) {
        let mut rest = rest.iter().cloned();
        return Some(Verb::PrePush(PushArgs { strict: false, remote: rest.next(), url: rest.next() }));
    }
    match verb {
        _ if !rest.is_empty() => harness_words(args),
        "pre-commit" => Some(Verb::PreCommit(HookArgs::default())),
        "pre-merge-commit" => Some(Verb::PreMergeCommit(HookArgs::default())),
        "pre-receive" => Some(Verb::PreReceive(HookArgs::default())),
        "run" => Some(Verb::Run(RunArgs::default())),
        _ => None,
    }
}

/// The verb that a harness calls by these words alone.
fn harness_words(args: &[OsString]) -> Option<Verb> {
    let mut called = features::verbs().filter(|verb| verb.call_of_harness.is_some_and(|known| args == known.words));
    called.next().map(|verb| Verb::OfFeature { name: verb.name, typed: None })
}

/// Whether a harness typed these arguments, also if a flag among them is wrong. It takes an exit code other than 0 for an
/// order to block.
pub(super) fn is_of_harness(args: &[OsString]) -> bool {
    let Some(first) = args.first() else { return false };
    features::verbs().filter_map(|verb| verb.call_of_harness).any(|known| {
        let typed = || args.iter().filter(|arg| !looks_like_flag(arg));
        let mut pairs = typed().zip(typed().skip(1));
        (first == known.words[0] || looks_like_flag(first)) && pairs.any(|(one, other)| known.words == [one, other])
    })
}

fn looks_like_flag(arg: &OsString) -> bool {
    arg.as_encoded_bytes().first() == Some(&b'-')
}

impl Verb {
    /// Whether git or a framework called this program as a hook.
    pub(super) fn is_hook(&self) -> bool {
        self.can_be_skipped() || matches!(self, Self::PreReceive(_))
    }

    /// Whether the committer may switch the hook off. The gate of a server is not the committer's to switch off.
    pub(super) fn can_be_skipped(&self) -> bool {
        matches!(self, Self::PreCommit(_) | Self::PreMergeCommit(_) | Self::PrePush(_) | Self::Run(_))
    }

    /// The content that a checking verb judges; `None` for other verbs.
    pub(super) fn mode(&self) -> Option<ScopeMode> {
        match self {
            Self::PreCommit(_) | Self::PreMergeCommit(_) => Some(ScopeMode::Staged),
            Self::PrePush(_) => Some(ScopeMode::Push),
            Self::PreReceive(_) => Some(ScopeMode::Receive),
            Self::Run(_) => Some(ScopeMode::None),
            Self::Check(args) => Some(args.mode()),
            Self::Scan(args) => Some(args.mode()),
            Self::Validate(_) => Some(ScopeMode::Files),
            Self::OfFeature { name, typed: Some(typed) } => features::verb(name).and_then(|verb| (verb.mode)(typed)),
            _ => None,
        }
    }

    /// Whether the verb files something, and so must say at the end whether it did.
    pub(super) fn files(&self) -> bool {
        match self {
            Self::OfFeature { name, typed: Some(typed) } => {
                features::verb(name).is_some_and(|verb| (verb.files)(typed))
            }
            _ => matches!(self, Self::Eval(_) | Self::Retract(_) | Self::Redact(_)),
        }
    }
}

#[cfg(test)]
mod tests;
