#!/bin/sh
# The drawings of `yatsu-hook graph` are read by the programs they are made for: dot by Graphviz (as WebAssembly from npm, and
# by the `dot` of this machine where there is one), Mermaid by its own parser, from npm. Names of nodes, scenarios, events
# and relations are as hostile as a repository may hold them; each drawing must have exactly the nodes and relations that the
# graph has. Prints a table; exits 1 when a row is not right, or when a parser could not be installed.
#
# usage: tests/graph-formats.sh PROGRAM
# Needs git, node and npm.
set -eu

[ $# -eq 1 ] || { sed -n '7,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "graph-formats.sh: $1" >&2; exit 1; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "graph-formats.sh: $program is not executable" >&2; exit 2; }

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$work/home" "$work/node" "$work/repo" "$work/drawn"
(cd "$work/node" && npm install --silent --no-audit --no-fund mermaid@11 jsdom@26 @hpcc-js/wasm-graphviz@1 >"$work/npm" 2>&1) ||
    fail "mermaid, jsdom and @hpcc-js/wasm-graphviz could not be had from npm: $(tail -1 "$work/npm")"

# Nothing of this machine's git configuration, home or environment takes part.
isolated() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
        "$@"
}

# Names that mean something to one of the two, to HTML, to a terminal or to a shell.
cat >"$work/make.mjs" <<'NODE'
import { mkdirSync, writeFileSync } from 'node:fs';
const names = [
  'end', 'graph', 'subgraph x', 'click n0 "javascript:alert(1)"', 'classDef default fill:#f00', 'style n0 fill:#f00',
  'a"]; n9[label="b', 'a"] --> z["b', '`**bold**`', '#quot;', '#35;', '&quot;&lt;', '<script>alert(1)</script>', '<br/>',
  '%% comment', '%%{init: {"theme":"dark"}}%%', '---\ntitle: x\n---', '\\', '\\"', '\\N\\G\\l\\n', 'a\\', '{{a}}', '[[a]]', '((a))',
  '[/a\\]', '|a|', 'a|"b"|c', '-->', '-- x -->', '==>', '-.->', 'a;b', 'a\nb', 'a\r\nb', 'a\tb', '\u001b[31mred', '\u202eabc',
  '\u2028', '\ufeff', '\u0000'.replace('\u0000', '\u0001'), '😀', 'é', '日本語', "'", '$(touch /tmp/x)', '${x}', '@{ shape: rounded }',
  ':::open', 'n0', '1. list', '- list', '"', '""', "a'b\"c`d", '//', '/* */', '->', '{', '}', ' '.repeat(3) + 'x', 'x'.repeat(5000),
];
mkdirSync('src', { recursive: true });
const ledger = [];
names.forEach((name, at) => {
  const dir = `.spec/${at}-${name.replace(/[\/\u0000\n\r]/g, '_').slice(0, 60)}`;
  mkdirSync(dir, { recursive: true });
  writeFileSync(`src/${at}.txt`, 'x\n');
  const entry = { name, description: 'd', expected: 'e', tags: ['cli'], code: `src/${at}.txt` };
  const yaml = Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n    ');
  writeFileSync(`${dir}/yatsu.md`, `---\nscenarios:\n  - ${yaml}\n---\n`);
  const line = { scenario: name, codeSha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', blob: null, evaluator: 'manual@1', by: name,
    verdict: { status: 'fail', note: name }, ts: '2026-01-01T00:00:00.000Z' };
  writeFileSync(`${dir}/yatsu.evals.ndjson`, JSON.stringify(line) + '\n');
});
const ops = names.flatMap((name, at) => [
  { CreateNode: { id: `${at}${name}`, kind: name, props: { title: name } } },
  { CreateRelation: { from: `${at}${name}`, rel: name, to: name + '?', props: {} } },
]);
const event = { id: 'e', schema_version: 1, ts_ms: 1, kind: 'state.ops_applied', payload: ops };
writeFileSync('events.jsonl', JSON.stringify(event) + '\n');
NODE

cat >"$work/node/read.mjs" <<'NODE'
import { JSDOM } from 'jsdom';
import { readFileSync } from 'node:fs';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
const dom = new JSDOM('<!DOCTYPE html><body></body>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const mermaid = (await import('mermaid')).default;
mermaid.initialize({ startOnLoad: false, maxTextSize: 1e8, maxEdges: 1e6 });
const [what, name] = process.argv.slice(2);
const text = (ending) => readFileSync(`${name}.${ending}`, 'utf8');
const graph = JSON.parse(text('json'));
const ids = new Set([...graph.nodes.map((node) => node.id), ...graph.relations.flatMap((of) => [of.from, of.to])]);
const expected = `${ids.size} nodes, ${graph.relations.length} relations`;
let found;
if (what === 'mermaid') {
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text('mermaid'));
  found = `${diagram.db.getVertices().size} nodes, ${diagram.db.getEdges().length} relations`;
} else {
  const json = what === 'dot' ? text('dot.json') : (await Graphviz.load()).layout(text('dot'), 'json0', 'nop2');
  const drawn = JSON.parse(json);
  found = `${drawn.objects.length} nodes, ${drawn.edges.length} relations`;
}
console.log(found);
process.exit(found === expected && ids.size > 0 ? 0 : 1);
NODE

g() { isolated git -C "$work/repo" "$@"; }
g init -q -b main
(cd "$work/repo" && isolated node "$work/make.mjs")
g add -A
g commit -qm first

bad=0
row() {
    if out=$(cd "$work/node" && node read.mjs "$2" "$work/drawn/$1" 2>"$work/err"); then state=ok; else state=WRONG; bad=1; fi
    printf '%-28s %-24s %-6s %s\n' "$1" "$2" "$state" "$out"
    [ "$state" = ok ] || tail -3 "$work/err" >&2
}

for source in repository event-log; do
    for format in json dot mermaid; do
        of= all='--nodes 0'
        [ "$format" != json ] || all=
        [ "$source" = repository ] || of=events.jsonl
        (cd "$work/repo" && isolated "$program" graph show ${of:+--log "$of"} --format "$format" $all) >"$work/drawn/$source.$format" ||
            fail "the $source could not be drawn as $format"
    done
    row "$source" mermaid
    row "$source" graphviz
    if command -v dot >/dev/null; then
        dot -Tjson0 -Knop2 "$work/drawn/$source.dot" >"$work/drawn/$source.dot.json" 2>"$work/err" || true
        row "$source" dot
    else
        printf '%-28s %-24s %s\n' "$source" dot 'not made: there is no dot on this machine'
    fi
    if grep -q "$(printf '\033')" "$work/drawn/$source.dot" "$work/drawn/$source.mermaid"; then
        echo "$source: an escape sequence stands in a drawing"
        bad=1
    fi
done
exit $bad
