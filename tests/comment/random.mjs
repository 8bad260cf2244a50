// Random hostile names, notes, paths and commit messages: the comment of each history is rendered by two readers of Markdown,
// which must see the same code spans and the same cells, and no link, image, mention or HTML but this program's.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const [program, work, first, count] = process.argv.slice(2);
const repo = join(work, 'random');
const PAGE = 'https://page.example/?a&lt;=1&copy;b*c_d~e';
const ATOMS = ['`', '``', '```', '`'.repeat(79), '`'.repeat(80), '`'.repeat(81), '|', '||', '\\', '\\\\', '\\|', '\\`', '@team', '#1', 'GH-1',
  'org/repo#2', '!1', '~1', '%1', '&1', '![x](https://e.org/a.png)', '[x](javascript:alert(1))', '<script>alert(1)</script>', '<!--', '-->',
  '<b>', '</code>', '</td></tr></table>', '</details>', 'https://example.org', 'www.example.org', 'x@example.org', '&lt;', '&copy;', '&#64;',
  '*', '_', '~~', '**a**', ':tada:', '$x$', '$`', '`$', '\u200f', '\u202e', '\u2066', '\u2069', '\u200d', '\u00e9', '\u65e5', 'a', 'b c', '  ',
  '---', '===', '- ', '> ', '# ', '1. ', '[^1]', '[ ]', '[[x]]', '^', '"', "'", '==', '\u00a0', '\u2028', '\u0085', '\ufeff', '\u001b[31m', '\t'];

let state = 0;
const roll = (sides) => {
  state = (state + 0x6d2b79f5) | 0;
  let z = Math.imul(state ^ (state >>> 15), 1 | state);
  z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
  return ((z ^ (z >>> 14)) >>> 0) % sides;
};
const text = () => Array.from({ length: 1 + roll(8) }, () => ATOMS[roll(ATOMS.length)]).join('').trim().slice(0, 150) || 'x';
const run = (...args) => execFileSync(args[0], args.slice(1), { cwd: repo, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const commit = (message) => { run('git', 'add', '-A'); run('git', 'commit', '-q', '--allow-empty', '-m', message); return run('git', 'rev-parse', 'HEAD').trim(); };
// a failing change has exit code 1 and a comment
const comment = (...args) => { try { return run(program, 'report', '--pr', ...args); } catch (error) { return error.stdout; } };

// A range that edits, drops and measures scenarios with hostile names; returns its begin.
function history() {
  rmSync(repo, { recursive: true, force: true });
  mkdirSync(join(repo, 'src'), { recursive: true });
  mkdirSync(join(repo, '.spec/n'), { recursive: true });
  run('git', 'init', '-q', '-b', 'main');
  const files = new Map();
  for (let at = roll(20) + 3; at > 0; at -= 1) {
    const wild = `src/${text().replace(/[/\0]/g, '_').slice(0, 60)}${at}`;
    files.set(text(), /[*?[{\\!\t\u001b\u0085\u2028]|\p{Cf}/u.test(wild) ? `src/f${at}` : wild);
  }
  const names = [...files.keys()];
  names.forEach((name) => writeFileSync(join(repo, files.get(name)), '1\n'));
  const declare = (list) => writeFileSync(join(repo, '.spec/n/yatsu.md'), `---\nscenarios:\n${list.map((name) => {
    const quoted = JSON.stringify(name).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return `  - name: ${quoted}\n    description: ${quoted}\n    expected: ${quoted}\n    tags: [cli]\n    code: ${JSON.stringify(files.get(name))}\n`;
  }).join('')}---\n`);
  let minute = 0;
  const measure = (list, head) => list.forEach((name) => {
    minute += 1;
    appendFileSync(join(repo, '.spec/n/yatsu.evals.ndjson'), `${JSON.stringify({ scenario: name, codeSha: head, blob: null, evaluator: 'manual@1',
      verdict: { status: roll(2) ? 'pass' : 'fail' }, note: `${text()}-->`, ts: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString() })}\n`);
  });
  declare(names);
  measure(names, commit('declared'));
  const from = commit(text());
  names.filter(() => roll(3)).forEach((name) => appendFileSync(join(repo, files.get(name)), '2\n'));
  const left = names.filter(() => roll(6));
  declare(left.length ? left : names);
  measure(left.filter(() => roll(2)), commit(text()));
  if (roll(3) === 0) appendFileSync(join(repo, '.spec/n/yatsu.evals.ndjson'), `${JSON.stringify({ scenario: text() })}\n`);
  commit(text());
  return from;
}

const OURS = ['a', 'code', 'h2', 'h3', 'li', 'p', 'sub', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'];
// What a reader made of a comment. The input is the reader's own HTML, in which text has no `<`.
function seen(html) {
  const tags = [...html.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name]) => name);
  const codes = [...html.matchAll(/<code>([^]*?)<\/code>/g)].map(([, code]) => code.replace(/&quot;/g, '"'));
  return {
    codes,
    cells: [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) => row.match(/<t[dh]/g).length),
    foreign: [...new Set(tags.filter((name) => !OURS.includes(name)))],
    links: [...html.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link.replace(/&amp;/g, '&')).filter((link) => !link.startsWith('https://page.example/')
      || !(link === PAGE || /^#open=s-[0-9a-f]{12}$/.test(link.slice(PAGE.length)))),
    comments: html.match(/<!--/g).length,
    outside: html.replace(/<code>[^]*?<\/code>/g, '').replace(/<[^>]*>/g, '').match(/[@#|*_~\\`\u0080-\u009f\u200b-\u202e\u2066-\u2069]/g) ?? [],
  };
}
const READERS = {
  micromark: (markdown) => micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true }),
  'cmark-gfm': (markdown) => execFileSync('cmark-gfm', ['--unsafe', ...['table', 'autolink', 'strikethrough', 'tasklist'].flatMap((name) => ['-e', name])],
    { input: markdown, encoding: 'utf8' }),
};

let comments = 0;
let names = 0;
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  state = seed;
  const from = history();
  for (const [limit, args] of [[60_000, []], [60_000, ['--page', PAGE, '--pictures', '--checked', from]], [2_000, ['--page', PAGE, '--limit', '2000']]]) {
    const markdown = comment('--from', from, '--to', 'HEAD', ...args);
    const [one, other] = Object.values(READERS).map((reader) => seen(reader(markdown)));
    const bare = { foreign: [], links: [], comments: 1, outside: [] };
    const same = JSON.stringify(one) === JSON.stringify(other) && JSON.stringify(one) === JSON.stringify({ ...one, ...bare });
    if (!same || Buffer.byteLength(markdown) > limit) {
      console.log(`WRONG seed ${seed} ${args.join(' ')}: ${Buffer.byteLength(markdown)} bytes\n${JSON.stringify(one)}\n${JSON.stringify(other)}\n${markdown}`);
      process.exit(1);
    }
    comments += 1;
    names += one.codes.length;
  }
}
console.log(`ok    ${comments} comments with ${names} hostile texts are read alike by ${Object.keys(READERS).join(' and ')}`);
process.exit(names > comments ? 0 : 1);
