//! The steps of a history. They follow from its seed alone, so that one step can be left out and the others stay the
//! same.

use super::deeds::Careful;
use super::forge::Forge;
use crate::support::Dice;

/// The commands of git.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Graph {
    Sync,
    Merge,
    Squash,
    Rebase,
    Pick,
    Revert,
    Amend,
    Reset,
    Switch,
    /// To this branch and its content.
    To(&'static str),
    /// This branch of the server, always by a merge commit.
    MergeOf(&'static str),
}

/// The requests to the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Push {
    Plain,
    Force,
    ToMain,
    Many,
    Delete,
    Tag,
    TagBlob,
    Replace,
    /// The branch's commit goes to an unprotected branch.
    Aside,
    DeleteAside,
    /// The branch goes by way of another one.
    Around,
    /// Like `Around`, under a symbolic ref of the server.
    Alias,
    ForceAlias,
    DeleteAlias,
    /// Under the symbolic ref, and under its target.
    BothNames,
    /// A new protected branch, alone or together with an unprotected one.
    NewProtected,
    /// Main's tip becomes a protected branch and an unprotected one.
    Three,
}

impl Push {
    pub(super) const AROUND: [Self; 3] = [Self::Aside, Self::Delete, Self::DeleteAside];

    pub(super) fn is_forced(self) -> bool {
        use Push::{Alias, BothNames, Many, NewProtected, Plain, Three, ToMain};
        !matches!(self, Plain | ToMain | Many | Alias | BothNames | NewProtected | Three)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Deed {
    Careful(Careful),
    Forge(Forge),
    Graph(Graph),
    Push(Push),
    /// Adds a symbolic ref to the server, or changes it.
    Alias,
}

/// One step of one actor.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) seat: usize,
    pub(super) deed: Deed,
    pub(super) seed: u64,
}

/// Attacks that take several pushes, each step followed by a push.
const PLANS: [&[Deed]; 19] = [
    &[forge(Forge::OutOfRoots), forge(Forge::EditOutside), forge(Forge::BackIntoRoots)],
    &[forge(Forge::Exclude), forge(Forge::EditHidden), forge(Forge::Include)],
    &[forge(Forge::Roots), forge(Forge::DropLine), forge(Forge::Include)],
    &[forge(Forge::DeleteNode), forge(Forge::Resurrect)],
    &[forge(Forge::Park), forge(Forge::DeleteDecoy)],
    &[forge(Forge::EditVerdict), Deed::Push(Push::Around), Deed::Push(Push::Delete), Deed::Graph(Graph::Reset)],
    &[Deed::Push(Push::Replace), forge(Forge::EditVerdict)],
    &[careful(Careful::DropScenario), forge(Forge::Resurrect)],
    &[forge(Forge::OnlyEvidence), Deed::Graph(Graph::Merge)],
    // a filed fail becomes a fresh pass in two pushes
    &[forge(Forge::RenameAndEdit), careful(Careful::BringBack)],
    &[forge(Forge::TakeAwayAndEdit), careful(Careful::BringBack)],
    // a goal is claimed on a branch, the code moves there, and main merges the branch
    &[TO_TOPIC, careful(Careful::Complete), careful(Careful::Code), TO_MAIN, MERGE_TOPIC],
    &[TO_TOPIC, careful(Careful::Code), TO_MAIN, careful(Careful::AskForProof), MERGE_TOPIC],
    // main's tip is on an unprotected branch before a protected one begins there
    &[
        careful(Careful::Complete),
        careful(Careful::GateProtected),
        careful(Careful::Code),
        Deed::Push(Push::NewProtected),
    ],
    &[
        careful(Careful::GateProtected),
        TO_TOPIC,
        careful(Careful::Complete),
        careful(Careful::Code),
        Deed::Push(Push::Three),
    ],
    // a symbolic ref opens its target
    &[Deed::Alias, forge(Forge::EditVerdict), Deed::Push(Push::ForceAlias), Deed::Push(Push::DeleteAlias)],
    // a branch with its own roots, which main takes
    &[TO_TOPIC, forge(Forge::Roots), forge(Forge::DropLine), forge(Forge::Include), TO_MAIN, MERGE_TOPIC],
    &[TO_TOPIC, careful(Careful::Names), forge(Forge::RootAlone), careful(Careful::RenameRoot), TO_MAIN, MERGE_TOPIC],
    // the default branch switches the rule off, and one push switches it on and drops a line
    &[forge(Forge::SwitchOff), forge(Forge::SwitchOnAndDrop)],
];

const TO_MAIN: Deed = Deed::Graph(Graph::To("main"));
const TO_TOPIC: Deed = Deed::Graph(Graph::To("topic"));
const MERGE_TOPIC: Deed = Deed::Graph(Graph::MergeOf("topic"));

const fn forge(deed: Forge) -> Deed {
    Deed::Forge(deed)
}

const fn careful(deed: Careful) -> Deed {
    Deed::Careful(deed)
}

const HONEST_GRAPH: [Graph; 13] = [
    Graph::Sync,
    Graph::Sync,
    Graph::Merge,
    Graph::Merge,
    Graph::Merge,
    Graph::Squash,
    Graph::Rebase,
    Graph::Rebase,
    Graph::Pick,
    Graph::Amend,
    Graph::Switch,
    Graph::MergeOf("topic"),
    Graph::MergeOf("main"),
];

/// Whether every actor is careful, and their steps.
pub(super) fn of(seed: u64) -> (bool, Vec<Step>) {
    let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let honest = dice.roll(3) == 0;
    let mut steps = Vec::new();
    let attacker = dice.roll(3);
    let mut step = |seat: usize, deed: Deed, dice: &mut Dice| {
        steps.push(Step { seat, deed, seed: dice.roll(usize::MAX) as u64 });
    };
    if dice.roll(5) == 0 {
        step(attacker, Deed::Careful(Careful::STRICT[dice.roll(2)]), &mut dice);
        step(attacker, Deed::Push(Push::Plain), &mut dice);
    }
    let plan = (!honest && dice.roll(2) == 0).then(|| PLANS[dice.roll(PLANS.len())]);
    let mut plan = plan.into_iter().flatten();
    for _ in 0..10 + dice.roll(8) {
        let seat = dice.roll(3);
        let deed = deed(&mut dice, honest);
        step(seat, deed, &mut dice);
        if let Some(deed) = plan.next().filter(|_| dice.roll(4) > 0) {
            step(attacker, *deed, &mut dice);
            step(attacker, Deed::Push(Push::Plain), &mut dice);
        }
    }
    step(attacker, Deed::Push(Push::Plain), &mut dice);
    (honest, steps)
}

fn deed(dice: &mut Dice, honest: bool) -> Deed {
    let careful = |dice: &mut Dice| Deed::Careful(Careful::ALL[dice.roll(Careful::ALL.len())]);
    let honest_push =
        [Push::Many, Push::Tag, Push::ToMain, Push::Alias, Push::BothNames, Push::NewProtected, Push::Three];
    match dice.roll(20) {
        0..=6 => careful(dice),
        7..=9 if honest => careful(dice),
        7..=9 => Deed::Forge(Forge::ALL[dice.roll(Forge::ALL.len())]),
        10..=13 => Deed::Graph(HONEST_GRAPH[dice.roll(HONEST_GRAPH.len())]),
        14 if !honest => Deed::Graph([Graph::Reset, Graph::Revert][dice.roll(2)]),
        15 if !honest => {
            let pushes = [
                Push::Force,
                Push::Force,
                Push::Delete,
                Push::TagBlob,
                Push::Replace,
                Push::ForceAlias,
                Push::DeleteAlias,
            ];
            Deed::Push(pushes[dice.roll(pushes.len())])
        }
        16 if dice.roll(4) == 0 => Deed::Alias,
        16 => Deed::Push(honest_push[dice.roll(honest_push.len())]),
        _ => Deed::Push(Push::Plain),
    }
}
