//! What happens in a history: decided from its seed alone, so that a step can be left out and the others stay what they
//! are.

use super::deeds::Careful;
use super::forge::Forge;
use crate::support::Dice;

/// What git is told to do.
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
}

/// What is asked of the server.
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
    /// What the branch holds goes to one that nobody guards.
    Aside,
    DeleteAside,
    /// The branch goes by way of another one.
    Around,
}

impl Push {
    pub(super) const AROUND: [Self; 3] = [Self::Aside, Self::Delete, Self::DeleteAside];
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Deed {
    Careful(Careful),
    Forge(Forge),
    Graph(Graph),
    Push(Push),
}

/// One step of one actor.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) seat: usize,
    pub(super) deed: Deed,
    pub(super) seed: u64,
}

/// Attacks that take several pushes, each step followed by a push.
const PLANS: [&[Deed]; 9] = [
    &[Deed::Forge(Forge::OutOfRoots), Deed::Forge(Forge::EditOutside), Deed::Forge(Forge::BackIntoRoots)],
    &[Deed::Forge(Forge::Exclude), Deed::Forge(Forge::EditHidden), Deed::Forge(Forge::Include)],
    &[Deed::Forge(Forge::Roots), Deed::Forge(Forge::DropLine), Deed::Forge(Forge::Include)],
    &[Deed::Forge(Forge::DeleteNode), Deed::Forge(Forge::Resurrect)],
    &[Deed::Forge(Forge::Park), Deed::Forge(Forge::DeleteDecoy)],
    &[Deed::Forge(Forge::EditVerdict), Deed::Push(Push::Around), Deed::Push(Push::Delete), Deed::Graph(Graph::Reset)],
    &[Deed::Push(Push::Replace), Deed::Forge(Forge::EditVerdict)],
    &[Deed::Careful(Careful::RetireScenario), Deed::Forge(Forge::Resurrect)],
    &[Deed::Forge(Forge::OnlyEvidence), Deed::Graph(Graph::Merge)],
];

const HONEST_GRAPH: [Graph; 11] = [
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
];

/// Whether everybody is careful, and what they do.
pub(super) fn of(seed: u64) -> (bool, Vec<Step>) {
    let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let honest = dice.roll(3) == 0;
    let mut steps = Vec::new();
    let plan = (!honest && dice.roll(2) == 0).then(|| PLANS[dice.roll(PLANS.len())]);
    let mut plan = plan.into_iter().flatten();
    let attacker = dice.roll(3);
    for _ in 0..10 + dice.roll(8) {
        let seat = dice.roll(3);
        let deed = deed(&mut dice, honest);
        steps.push(Step { seat, deed, seed: dice.roll(usize::MAX) as u64 });
        if let Some(deed) = plan.next().filter(|_| dice.roll(2) == 0) {
            steps.push(Step { seat: attacker, deed: *deed, seed: dice.roll(usize::MAX) as u64 });
            steps.push(Step { seat: attacker, deed: Deed::Push(Push::Plain), seed: dice.roll(usize::MAX) as u64 });
        }
    }
    steps.push(Step { seat: attacker, deed: Deed::Push(Push::Plain), seed: 1 });
    (honest, steps)
}

fn deed(dice: &mut Dice, honest: bool) -> Deed {
    let careful = |dice: &mut Dice| Deed::Careful(Careful::ALL[dice.roll(Careful::ALL.len())]);
    match dice.roll(20) {
        0..=6 => careful(dice),
        7..=9 if honest => careful(dice),
        7..=9 => Deed::Forge(Forge::ALL[dice.roll(Forge::ALL.len())]),
        10..=13 => Deed::Graph(HONEST_GRAPH[dice.roll(HONEST_GRAPH.len())]),
        14 if !honest => Deed::Graph([Graph::Reset, Graph::Revert][dice.roll(2)]),
        15 if !honest => {
            Deed::Push([Push::Force, Push::Force, Push::Delete, Push::TagBlob, Push::Replace][dice.roll(5)])
        }
        16 => Deed::Push([Push::Many, Push::Tag, Push::ToMain][dice.roll(3)]),
        _ => Deed::Push(Push::Plain),
    }
}
