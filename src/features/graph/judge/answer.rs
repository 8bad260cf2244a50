//! Answers about a graph: all of it, a neighbourhood, a lineage, why a file is as it is, and the difference of two
//! graphs.

use super::about::{about, is_open, line, look, told};
use super::derive::{DerivedGraph, GraphSource, GraphView};
use crate::engine::effective::{Effective, latest_measured};
use crate::engine::freshness::governed;
use crate::error::{Error, Refusal, Result};
use crate::features::graph::judge::engine::canonical::{node_json, props_json, relation_json};
use crate::features::graph::judge::engine::diff;
use crate::features::graph::judge::engine::lineage::{Neighbours, WalkStep, Way, around};
use crate::features::graph::judge::engine::part::{Buried, GraphPart, NamedNode, NamedRelation};
use crate::features::graph::judge::engine::why as causes;
use crate::features::graph::model::answer::{
    DiffRow, EachNode, EachRelation, GraphContent, GraphDetail, GraphHead, GraphLine, GraphNodeRow, GraphRelationRow,
    GraphSummary, GraphTree,
};
use crate::features::graph::model::{node, shape};
use crate::model::scenario::Scenario;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use foldhash::HashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The kinds in the order in which a drawing has room for them. Kinds of other programs come last.
const DRAWN_FIRST: [&str; 16] = [
    shape::GOAL,
    shape::TASK,
    shape::RUN,
    shape::FAILURE,
    shape::HYPOTHESIS,
    shape::DECISION,
    shape::PATCH,
    shape::FILE,
    shape::OBSERVATION,
    shape::EVAL,
    shape::ARTIFACT,
    shape::COMMIT,
    shape::ACTOR,
    shape::MODEL_CALL,
    shape::TOOL_CALL,
    shape::FRAME,
];
/// The words for kinds of other programs, and for ends of relations that are no node. They stand after [`DRAWN_FIRST`].
const OTHERS: [&str; 2] = ["other", "absent"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineageWays {
    Both,
    /// What the node leads to: along the relations.
    Down,
    /// What the node comes from: against the relations.
    Up,
}

/// An answer: a graph or a part of one.
pub(crate) struct GraphAnswer {
    /// The graph that the answer comes from.
    pub(crate) from: DerivedGraph,
    /// Id of the requested node.
    pub(crate) id: Option<String>,
    head: GraphHead,
    chosen: Option<HashSet<String>>,
    buried: Buried,
    left_out: Vec<(&'static str, usize)>,
}

impl GraphAnswer {
    /// An answer with the whole graph.
    pub(crate) fn whole(from: DerivedGraph) -> Self {
        Self { head: from.head(), from, id: None, chosen: None, buried: Buried::Out, left_out: Vec::new() }
    }

    /// The answer with at most `most` nodes, for a drawing: the requested node, open failures, then the other kinds in
    /// the order of [`DRAWN_FIRST`], the later ones of a kind first. Ends of relations that are no node come last.
    pub(crate) fn limited(self, most: usize) -> Self {
        if most == usize::MAX {
            return self;
        }
        let mut ranked: Vec<_> = self.drawn_ids().into_iter().map(|id| (self.rank(id), Reverse(id))).collect();
        if ranked.len() <= most {
            return self;
        }
        ranked.sort_unstable();
        let mut left: BTreeMap<(usize, &'static str), usize> = BTreeMap::new();
        for ((.., place), Reverse(id)) in ranked.split_off(most) {
            *left.entry((place, self.word(place, id))).or_default() += 1;
        }
        let left_out = left.into_iter().map(|((_, word), count)| (word, count)).collect();
        let chosen = ranked.into_iter().map(|(_, Reverse(id))| id.to_owned()).collect();
        Self { chosen: Some(chosen), left_out, ..self }
    }

    /// The ids that a drawing shows: the nodes, and the ends of relations that are no node.
    fn drawn_ids(&self) -> BTreeSet<&str> {
        let part = self.part();
        let ends = part.relations.iter().flat_map(|relation| [relation.from, relation.to]);
        part.nodes.iter().map(|node| node.id).chain(ends).collect()
    }

    /// The place of a node among all, the smallest first; its last part is the place of the kind in [`DRAWN_FIRST`].
    fn rank(&self, id: &str) -> (bool, bool, usize) {
        let node = self.from.graph.node(id);
        let kind = match node {
            None => DRAWN_FIRST.len() + 1,
            Some(node) => DRAWN_FIRST.iter().position(|kind| *node.kind == **kind).unwrap_or(DRAWN_FIRST.len()),
        };
        let is_requested = self.id.as_deref() == Some(id);
        (!is_requested, !node.is_some_and(is_open), kind)
    }

    /// The word for a node with this place in [`DRAWN_FIRST`], as drawings begin its name: `scenario` for a task of ours.
    fn word(&self, place: usize, id: &str) -> &'static str {
        let of_ours = shape::prefix_of_id(id).filter(|_| DRAWN_FIRST.get(place).copied() == shape::kind_of_id(id));
        of_ours.unwrap_or_else(|| DRAWN_FIRST.iter().chain(&OTHERS).nth(place).unwrap_or(&OTHERS[0]))
    }

    fn part(&self) -> GraphPart<'_> {
        match &self.chosen {
            None => self.from.graph.whole(self.buried),
            Some(chosen) => self.from.graph.among(&chosen.iter().map(String::as_str).collect(), self.buried),
        }
    }

    fn buried(&self) -> bool {
        self.buried == Buried::In
    }
}

impl GraphContent for GraphAnswer {
    fn head(&self) -> &GraphHead {
        &self.head
    }

    fn nodes(&self, each: EachNode<'_>) -> io::Result<()> {
        self.part().nodes.into_iter().try_for_each(|node| each(&node_row(node)))
    }

    fn relations(&self, each: EachRelation<'_>) -> io::Result<()> {
        self.part().relations.into_iter().try_for_each(|relation| each(&relation_row(relation)))
    }

    fn left_out(&self) -> &[(&'static str, usize)] {
        &self.left_out
    }
}

fn node_row(named: NamedNode<'_>) -> GraphNodeRow<'_> {
    let (id, node) = (named.id, named.node);
    GraphNodeRow { id, kind: &node.kind, about: about(node), look: look(node), json: node_json(named) }
}

fn relation_row(relation: NamedRelation<'_>) -> GraphRelationRow<'_> {
    let NamedRelation { from, rel, to, .. } = relation;
    GraphRelationRow { from, rel, to, json: relation_json(relation) }
}

/// The whole graph, the neighbourhood of the node `id` (`depth` relations far, 1 by default), or the nodes of some `kinds`;
/// with `all` also withdrawn nodes.
///
/// # Errors
/// Refused if the node does not exist; usage if a kind does not.
pub(crate) fn show(
    from: DerivedGraph,
    id: Option<&str>,
    depth: Option<usize>,
    typed_kinds: &[String],
    all: bool,
) -> Result<GraphAnswer> {
    let buried = if all { Buried::In } else { Buried::Out };
    let id = id.map(|text| from.find(text)).transpose()?;
    let kinds = kinds(&from, typed_kinds)?;
    // a withdrawn node is shown if the user names it
    let buried = if id.as_deref().and_then(|id| from.graph.node(id)).is_some_and(|node| node.tombstoned) {
        Buried::In
    } else {
        buried
    };
    let near = id.as_ref().map(|id| around(&from.graph, id, depth.unwrap_or(1), buried == Buried::In));
    let of_kind = |id: &str| kinds.is_empty() || from.graph.node(id).is_some_and(|node| kinds.contains(&*node.kind));
    let chosen = match near {
        Some(near) => Some(near.into_iter().filter(|id| of_kind(id)).map(str::to_owned).collect()),
        None if kinds.is_empty() => None,
        None => {
            let whole = from.graph.whole(buried);
            Some(whole.nodes.iter().map(|node| node.id).filter(|id| of_kind(id)).map(str::to_owned).collect())
        }
    };
    Ok(GraphAnswer { head: from.head(), from, id, chosen, buried, left_out: Vec::new() })
}

/// The typed kinds: the prefix of an id, e.g. `commit`, or a kind that some node of the graph has.
fn kinds(from: &DerivedGraph, typed: &[String]) -> Result<HashSet<String>> {
    let mut found = HashSet::default();
    for word in typed {
        let of_ours = shape::kind_of_id(&format!("{word}:"));
        let is_there = || from.graph.whole(Buried::In).nodes.iter().any(|node| *node.node.kind == **word);
        match of_ours {
            Some(kind) => drop(found.insert(kind.to_owned())),
            None if is_there() => drop(found.insert(word.clone())),
            None => {
                let error = Error::usage(format!("there is no kind `{}`", echo(word)));
                return Err(error.hint(format!("one of {}", shape::KINDS.join(", "))));
            }
        }
    }
    Ok(found)
}

/// The summary of an answer: nodes per kind, relations, open failures.
pub(crate) fn summary(answer: &GraphAnswer) -> GraphSummary {
    let part = answer.part();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    part.nodes.iter().for_each(|node| *counts.entry(&node.node.kind).or_default() += 1);
    let known = shape::KINDS.iter().filter_map(|kind| Some(((*kind).to_owned(), counts.remove(kind)?)));
    let mut kinds: Vec<(String, usize)> = known.collect();
    kinds.extend(counts.into_iter().map(|(kind, count)| (kind.to_owned(), count)));
    let open = part.nodes.iter().filter(|node| is_open(node.node));
    let open = open.map(|node| GraphLine { depth: 1, ..line(&answer.from.graph, node.id, None) }).collect();
    GraphSummary { kinds, relations: part.relations.len(), open }
}

/// The nodes of an answer, one per line.
pub(crate) fn lines_of(answer: &GraphAnswer) -> Vec<GraphLine> {
    answer.part().nodes.iter().map(|node| line(&answer.from.graph, node.id, None)).collect()
}

/// Everything about the requested node.
pub(crate) fn detail(answer: &GraphAnswer) -> Option<GraphDetail> {
    let (id, graph) = (answer.id.as_deref()?, &answer.from.graph);
    let node = graph.node(id)?;
    let beside = |way: Way| -> Vec<GraphLine> {
        let neighbours = Neighbours::of(graph, way, answer.buried());
        neighbours.next(id).map(|(rel, other)| line(graph, other, Some(rel))).collect()
    };
    Some(GraphDetail {
        node: line(graph, id, None),
        kind: node.kind.to_string(),
        props: told(&node.props),
        out: beside(Way::Down),
        into: beside(Way::Up),
    })
}

/// The lineage of a node: causes and effects as trees for people, with the part of the graph that the trees show.
///
/// # Errors
/// Refused if the node does not exist.
pub(crate) fn lineage(
    from: DerivedGraph,
    typed: &str,
    ways: LineageWays,
    depth: Option<usize>,
    all: bool,
) -> Result<(GraphAnswer, Vec<GraphTree>)> {
    let id = from.find(typed)?;
    let all = all || from.graph.node(&id).is_some_and(|node| node.tombstoned);
    let mut trees = Vec::new();
    let mut chosen: HashSet<String> = HashSet::default();
    for (way, title) in [(Way::Down, "it leads to"), (Way::Up, "it comes from")] {
        let is_left_out = matches!((ways, way), (LineageWays::Up, Way::Down) | (LineageWays::Down, Way::Up));
        if is_left_out {
            continue;
        }
        let steps = Neighbours::of(&from.graph, way, all).walk(&id, depth);
        chosen.extend(steps.iter().map(|step| step.id.to_owned()));
        trees.push(GraphTree { title: Some(title), lines: lines(&from, &steps) });
    }
    let buried = if all { Buried::In } else { Buried::Out };
    let head = from.head();
    let answer = GraphAnswer { head, from, id: Some(id), chosen: Some(chosen), buried, left_out: Vec::new() };
    Ok((answer, trees))
}

fn lines(from: &DerivedGraph, steps: &[WalkStep<'_>]) -> Vec<GraphLine> {
    steps.iter().map(|step| GraphLine { depth: step.depth, ..line(&from.graph, step.id, step.rel) }).collect()
}

/// Why a file is as it is: the scenarios that govern it, and their causes. A log has no `view`.
///
/// # Errors
/// Usage if the view has no such path and no scenario names it, because a pattern would also govern a misspelt path.
/// Refused if no scenario of the graph governs the path.
pub(crate) fn why(
    from: DerivedGraph,
    view: Option<GraphView<'_>>,
    path: &RepoPath,
) -> Result<(GraphAnswer, Vec<GraphTree>)> {
    let file = node::file(path);
    let mut scenarios: Vec<String> = causes::governors(&from.graph, &file).into_iter().map(str::to_owned).collect();
    if let Some(view) = view.filter(|_| scenarios.is_empty()) {
        view.refuse_absent(path)?;
    }
    for node in &from.nodes {
        let declared = node.scenarios().iter();
        let effective = latest_measured(node, &|measured| measured == path).then(|| Effective::of(node));
        let has_measured = |scenario: &Scenario| {
            let latest = effective.as_ref().and_then(|effective| effective.latest(&scenario.name));
            latest.is_some_and(|reading| reading.stamped_files().any(|(measured, _)| measured == path))
        };
        let covers = declared.filter(|scenario| {
            governed(node, scenario).iter().any(|entry| entry.covers(path)) || has_measured(scenario)
        });
        scenarios.extend(covers.map(|scenario| node::scenario(&node.dir, &scenario.name)));
    }
    scenarios.sort();
    scenarios.dedup();
    if scenarios.is_empty() {
        let error = Error::refused(format!("no scenario of the graph governs {}", echo(&path.to_string())))
            .because(Refusal::Unknown);
        return Err(
            error.hint("`yatsu-hook impact PATH` says what would; a scenario governs what stands in its `code:`")
        );
    }
    let steps = causes::why(&from.graph, &scenarios);
    let tree = GraphTree { title: None, lines: lines(&from, &steps) };
    let mut chosen: HashSet<String> = steps.iter().map(|step| step.id.to_owned()).collect();
    chosen.extend(goals_of(&from, &scenarios));
    chosen.insert(file);
    let head = from.head();
    let answer = GraphAnswer { head, from, id: None, chosen: Some(chosen), buried: Buried::Out, left_out: Vec::new() };
    Ok((answer, vec![tree]))
}

fn goals_of(from: &DerivedGraph, scenarios: &[String]) -> Vec<String> {
    let down = Neighbours::of(&from.graph, Way::Down, false);
    scenarios.iter().flat_map(|id| down.by(id, shape::SERVES)).map(str::to_owned).collect()
}

/// The ops that build the graph of a source, one per line.
///
/// # Errors
/// As [`DerivedGraph::of`].
pub(crate) fn ops(source: &GraphSource<'_>) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    DerivedGraph::of(source, Some(&mut |ops| lines.extend_from_slice(ops)))?;
    Ok(lines)
}

/// The difference of two graphs: first what was added, then what was removed, then what changed.
pub(crate) fn between(before: &DerivedGraph, after: &DerivedGraph) -> Vec<DiffRow> {
    let found = diff::diff(&before.graph, &after.graph, after.shapes);
    let mut rows = Vec::new();
    for (mark, part) in [('+', &found.added), ('-', &found.removed)] {
        rows.extend(part.nodes.iter().map(|named| {
            let (text, json) = (diff_text(named), node_json(*named));
            DiffRow { mark, is_relation: false, text, json, before: None }
        }));
        rows.extend(part.relations.iter().map(|relation| {
            let (text, json) = (relation_text(relation), relation_json(*relation));
            DiffRow { mark, is_relation: true, text, json, before: None }
        }));
    }
    rows.extend(found.changed_nodes.iter().map(|changed| DiffRow {
        mark: '~',
        is_relation: false,
        text: diff_text(&changed.after),
        json: node_json(changed.after),
        before: Some(node_json(changed.before)),
    }));
    rows.extend(found.changed_relations.iter().map(|changed| DiffRow {
        mark: '~',
        is_relation: true,
        text: relation_text(&changed.after),
        json: relation_json(changed.after),
        before: Some(props_json(changed.before)),
    }));
    rows
}

fn diff_text(named: &NamedNode<'_>) -> String {
    match about(named.node) {
        about if about.is_empty() => named.id.to_owned(),
        about => format!("{}  {about}", named.id),
    }
}

fn relation_text(relation: &NamedRelation<'_>) -> String {
    format!("{} {} {}", relation.from, relation.rel, relation.to)
}
