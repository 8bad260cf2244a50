//! The arguments of `goal`.

use clap::{Args, Parser};

/// Ask whether a node's goal is reached, and decide what follows
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "goal",
    after_help = "Examples:\n  yatsu-hook goal check\n  yatsu-hook goal complete classifier\n  \
                                        yatsu-hook goal pivot classifier --reason 'another model'"
)]
pub(crate) enum GoalArgs {
    /// The result of both gates for nodes with a contract: exit 0 only if every goal is reached
    #[command(after_help = "Examples:\n  yatsu-hook goal check\n  yatsu-hook goal check classifier --staged\n  \
                            yatsu-hook goal check --rev HEAD --format json")]
    Check(GoalCheckArgs),
    /// Claim that the goal is reached: refused unless both gates pass now
    #[command(after_help = "Examples:\n  yatsu-hook goal complete classifier\n\n\
                            It stands until a later pivot, rework or block takes it back. A push that brings it is refused \
                            where the gates do not hold for what is pushed.")]
    Complete {
        #[command(flatten)]
        decided: DecidedArgs,
        /// One line about it
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Begin the next attempt with another approach, if the gates ask for one
    #[command(after_help = "Examples:\n  yatsu-hook goal pivot classifier --reason 'a tree instead of a line'")]
    Pivot {
        #[command(flatten)]
        reasoned: ReasonedArgs,
        /// Also where no reading ever showed what the contract asks for, which spends an attempt
        #[arg(long)]
        anyway: bool,
    },
    /// Bring better evidence of the same approach, or take a claim of completion back
    #[command(after_help = "Examples:\n  yatsu-hook goal rework classifier --reason 'no cross-validation yet'")]
    Rework(ReasonedArgs),
    /// Stop: nothing may be tried until it is unblocked
    #[command(after_help = "Examples:\n  yatsu-hook goal block classifier --reason 'the data do not show it'")]
    Block(ReasonedArgs),
    /// End a block, and begin with a first attempt again
    #[command(after_help = "Examples:\n  yatsu-hook goal unblock classifier --reason 'there are new data'")]
    Unblock(ReasonedArgs),
    /// Say what you think of the evidence, 0 to 100: the trust score is the lower of both
    #[command(after_help = "Examples:\n  yatsu-hook goal review classifier --score 90 --by reviewer \
                            --note 'the folds are honest'")]
    Review {
        /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
        /// only one that the branch touches; or NODE/SCENARIO
        #[arg(value_name = "NODE")]
        node: Option<String>,
        /// How sound the evidence is, 0 to 100
        #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
        score: u8,
        /// Who reviewed
        #[arg(long, value_name = "WHO")]
        by: String,
        /// One line about why
        #[arg(long, value_name = "TEXT")]
        note: String,
    },
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalCheckArgs {
    /// Only these nodes, by directory, id, last name or as NODE/SCENARIO; every node with a contract without them
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Judge the index
    #[arg(long, group = "content")]
    pub(crate) staged: bool,
    /// Fail also where nothing was asked for: no contract at all, or a node that is named and has none
    #[arg(long)]
    pub(crate) require: bool,
    /// Judge one commit
    #[arg(long, value_name = "REV", group = "content")]
    pub(crate) rev: Option<String>,
}

/// The node and the person of every decision.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecidedArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// Who decides [default: the author that git names]
    #[arg(long, value_name = "WHO")]
    pub(crate) by: Option<String>,
}

/// The decisions that need a reason.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReasonedArgs {
    #[command(flatten)]
    pub(crate) decided: DecidedArgs,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
