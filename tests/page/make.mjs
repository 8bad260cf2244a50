// Repositories to look at: one as people have them, one that was made to break the page, one with 300 scenarios, one with
// 10,000 and one with none. The page of each is written beside it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const [program, browserPath, work] = process.argv.slice(2);
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

let clock = 1_790_000_000;
class Repository {
  constructor(name, branch = 'main') {
    this.root = join(work, name);
    mkdirSync(this.root);
    this.git('init', '-q', '-b', branch);
  }
  run(command, args, input) {
    clock += 60;
    const env = { ...process.env, GIT_AUTHOR_DATE: `${clock} +0000`, GIT_COMMITTER_DATE: `${clock} +0000` };
    return execFileSync(command, args, { cwd: this.root, env, input, encoding: 'utf8', maxBuffer: 1 << 28 });
  }
  git(...args) { return this.run('git', args).trim(); }
  yatsu(...args) { return this.run(program, args); }
  write(path, content) {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }
  commit(message) {
    this.git('add', '-A');
    this.git('commit', '-q', '--no-verify', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }
  node(dir, title, scenarios, more = '') {
    this.write(`${dir}/spec.md`, `---\ntitle: ${title}\nstatus: active\n---\n`);
    const entry = ({ name, description, expected, tags, code }) => [
      `  - name: ${JSON.stringify(name)}`, `    description: ${JSON.stringify(description)}`, `    expected: ${JSON.stringify(expected)}`,
      `    tags: ${JSON.stringify(tags)}`, `    code: ${JSON.stringify(code)}`,
    ].join('\n');
    if (scenarios.length > 0) this.write(`${dir}/yatsu.md`, `---\n${more}scenarios:\n${scenarios.map(entry).join('\n')}\n---\n`);
  }
}

async function pictures() {
  const browser = await chromium.launch({ executablePath: browserPath, args: ARGUMENTS });
  const page = await browser.newPage({ viewport: { width: 720, height: 400 } });
  const board = (moved, focus) => `<style>body{margin:0;font:15px system-ui;background:#eef1f6;color:#223}
    header{background:#2b3a67;color:#fff;padding:12px 20px;font-weight:600}main{display:grid;grid-template-columns:repeat(3,1fr);gap:14px;padding:18px}
    section{background:#dfe4ee;border-radius:10px;padding:10px;min-height:270px}h2{font-size:14px;margin:2px 4px 10px}
    div{background:#fff;border-radius:7px;padding:10px 12px;margin-bottom:9px;box-shadow:0 1px 2px #0002}.f{outline:3px solid #d4572a}</style>
    <header>Board</header><main><section><h2>To do</h2><div>Write the report</div>${moved ? '' : `<div ${focus}>Paint the fence</div>`}<div>Call the bank</div></section>
    <section><h2>Doing</h2><div>Fix the search</div>${moved ? `<div ${focus}>Paint the fence</div>` : ''}</section><section><h2>Done</h2><div>Buy paint</div></section></main>`;
  const shot = async (html) => { await page.setContent(html); return page.screenshot(); };
  const made = { moved: await shot(board(true, '')), stuck: await shot(board(false, 'class=f')), back: await shot(board(false, '')) };
  made.film = Buffer.from(await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' });
    const parts = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.start();
    for (let at = 0; at < 8; at += 1) {
      context.fillStyle = '#eef1f6'; context.fillRect(0, 0, 160, 90);
      context.fillStyle = '#2b3a67'; context.fillRect(10 + at * 14, 35, 30, 20);
      await new Promise((done) => { setTimeout(done, 60); });
    }
    await new Promise((done) => { recorder.onstop = done; recorder.stop(); });
    return Array.from(new Uint8Array(await new Blob(parts).arrayBuffer()));
  }));
  await browser.close();
  return made;
}

async function usual() {
  const { moved, stuck, back, film } = await pictures();
  const r = new Repository('usual');
  for (const name of ['board/board.ts', 'board/card.ts', 'board/keys.ts', 'search/index.ts', 'search/empty.ts', 'server/cards.ts', 'server/limit.ts', 'cli/export.ts', 'cli/import.ts', 'cli/old.ts']) {
    r.write(`src/${name}`, `export const made = ${JSON.stringify(name)};\n`);
  }
  r.node('.spec/app', 'The board', []);
  r.node('.spec/app/cards', 'Cards', [
    { name: 'cards move between columns', tags: ['frontend-e2e', 'desktop'], code: ['src/board/board.ts', 'src/board/card.ts'],
      description: 'Open the board with three columns.\nDrag "Paint the fence" from To do to Doing.\nReload the page.',
      expected: 'The card lies in Doing, before and after the reload, and no other card moved.' },
    { name: 'a card is moved by keyboard', tags: ['frontend-e2e'], code: ['src/board/keys.ts'],
      description: 'Focus a card, press Space, the right arrow, and Space again.',
      expected: 'The card lies in the next column and keeps the focus. A screen reader says where it went.' },
    { name: 'an empty column says so', tags: ['frontend-e2e', 'mobile'], code: ['src/board/board.ts'],
      description: 'Move every card out of a column.', expected: 'The column says "nothing here" and still takes a card.' },
  ]);
  r.node('.spec/app/search', 'Search', [
    { name: 'finds by any word', tags: ['frontend-e2e'], code: ['src/search'], description: 'Type two words of different cards.',
      expected: 'Both cards are listed, the better match first.' },
    { name: 'says when nothing fits', tags: ['frontend-e2e', 'mobile'], code: ['src/search/empty.ts'], description: 'Type a word that no card has.',
      expected: 'It says so, and offers to make a card of it.' },
  ]);
  const goal = 'goal_contract:\n  version: 1\n  goal_text: The server answers 200 requests a second without losing one.\n  acceptance_criteria:\n'
    + '    - id: rate\n      kind: metric_threshold\n      metric: requests_per_second\n      op: ">="\n      target: 200\n'
    + '    - id: lost\n      description: not one\n      kind: metric_threshold\n      metric: lost\n      op: "=="\n      target: 0\n';
  r.node('.spec/server', 'Server', [
    { name: 'creates a card', tags: ['backend-api'], code: ['src/server/cards.ts'], description: 'POST /cards with a title.', expected: '201 with the card and its id.' },
    { name: 'keeps its rate', tags: ['backend-api'], code: ['src/server/limit.ts'], description: 'Send 12,000 requests within a minute.', expected: 'At least 200 a second are answered, and none is lost.' },
  ], goal);
  r.node('.spec/cli', 'Command line', [
    { name: 'exports as CSV', tags: ['cli'], code: ['src/cli/export.ts'], description: 'Export a board with quotes, commas and line breaks in its titles.', expected: 'A spreadsheet shows every title as it is.' },
    { name: 'imports twice without doubling', tags: ['cli'], code: ['src/cli/import.ts'], description: 'Import one file twice.', expected: 'The second import says that there is nothing new.' },
  ]);
  r.write('.spec/legacy/spec.md', '---\ntitle: What is left of the old program\ncode:\n  - src/cli/old.ts\n---\n');
  r.commit('first');
  const put = (name, content) => { writeFileSync(join(work, name), content); return `../${name}`; };
  const e2e = (ok) => `\u001b[1mRunning 1 test using 1 worker\u001b[0m\n\n  ${ok ? '\u001b[32m✓' : '\u001b[31m✘'}\u001b[0m board.spec.ts:12 › cards (1.2s)\n${ok ? '' : '\n    Error: expect(locator).toBeFocused() failed\n    Expected: focused\n    Received: inactive\n      at board.spec.ts:31:24\n'}\n  1 ${ok ? 'passed' : 'failed'} (2.0s)\n`;
  const steps = JSON.stringify({ v: 1, events: [{ tMs: 0, step: 'the board is open' }, { tMs: 180, step: 'the card is taken' }, { tMs: 420, step: 'the card is dropped', node: 'Doing' }] });
  const eval_ = (...args) => r.yatsu('eval', ...args);
  eval_('cli', '--scenario', 'imports twice without doubling', '--fail', '--note', 'every card is there twice', '--by', 'Ada');
  eval_('cards', '--scenario', 'cards move between columns', '--fail', '--image', put('back.png', back), '--note', 'after the reload it is back in To do');
  r.write('src/cli/import.ts', 'export const made = "once";\n');
  r.commit('import once');
  eval_('cli', '--scenario', 'imports twice without doubling', '--pass', '--result', put('import.log', '$ board import cards.json\n12 cards imported\n$ board import cards.json\n0 cards imported, 12 are there already\n'));
  eval_('cards', '--scenario', 'cards move between columns', '--pass', '--image', put('moved.png', moved), '--result', put('e2e.log', e2e(true)),
    '--video', put('film.webm', film), '--timeline', put('steps.json', steps), '--by', 'Ada');
  eval_('cards', '--scenario', 'a card is moved by keyboard', '--fail', '--image', put('stuck.png', stuck), '--result', put('keys.log', e2e(false)), '--note', 'Space takes the card, the arrow key scrolls the page instead.');
  eval_('cards', '--scenario', 'an empty column says so', '--pass');
  eval_('search', '--scenario', 'finds by any word', '--pass', '--result', put('search.log', Array.from({ length: 400 }, (_, n) => `query ${n}: 2 cards, ${3 + (n % 7)} ms`).join('\n')));
  for (let at = 0; at < 12; at += 1) eval_('server', '--scenario', 'creates a card', at % 4 === 2 ? '--fail' : '--pass', '--note', `round ${at}`);
  eval_('server', '--scenario', 'creates a card', '--pass', '--result', put('card.json', JSON.stringify({ status: 201, body: { id: 'c-17', title: 'Paint the fence', column: 'To do', tags: [] }, headers: { location: '/cards/c-17' } })));
  eval_('server', '--scenario', 'keeps its rate', '--fail', '--result', put('rate.log', 'sent 12000 requests in 60 s\n[METRIC:requests_per_second] 188.4\n[METRIC:lost] 0\n'), '--note', 'The limiter counts requests that were answered already.');
  eval_('cli', '--scenario', 'exports as CSV', '--pass', '--result', put('export.log', '14 titles, 14 as they are\n'));
  r.yatsu('runlog', 'start');
  r.commit('measured');
  r.write('src/search/index.ts', 'export const made = "by prefix";\n');
  r.write('src/cli/export.ts', 'export const made = "with a byte order mark";\n');
  r.commit('search by prefix, export for spreadsheets');
  r.yatsu('report', '--html', '../usual.html', '--history', '60', '--links', 'https://github.com/acme/board');
  r.yatsu('report', '--html', '../none.html', '--tag', 'desktop', 'server');
  r.yatsu('report', '--html', '../public.html', '--without-evidence');
}

function hostile() {
  const r = new Repository('<img src=x onerror=pwned>&"\'', '<script>window.pwned=1</script>"onload=x\'&');
  const nasty = ['<script>window.pwned = 1</script>', '<img src=x onerror="window.pwned = 1">', '</title></style></script><script>window.pwned = 1</script>',
    'javascript:window.pwned=1', ']]>', '"><iframe srcdoc="<script>parent.pwned = 1</script>">', "' onmouseover='window.pwned = 1", '\u202etxt.exe', '&lt;b&gt;',
    '<svg><animate onbegin=window.pwned=1 attributeName=x dur=1s>', '<base href="https://example.invalid/">', '<meta http-equiv=refresh content="0;url=https://example.invalid/">'];
  r.write('src/<img src=x onerror=pwned>.ts', 'x');
  const printable = (text) => text.replace(/\u202e/g, '');
  r.node('.spec/<svg onload=pwned>', '</h2><svg onload="window.pwned = 1">', nasty.map((text, at) => ({ name: `${at} ${printable(text)}`, tags: ['cli'],
    code: ['src/<img src=x onerror=pwned>.ts'], description: printable(text), expected: printable(text) })));
  r.commit('first');
  const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned = 1"><script>window.pwned = 1</script><image href="https://example.invalid/x.png"/></svg>';
  const html = `<!DOCTYPE html><html><body onload="window.pwned = 1">${nasty.join('\n')}<link rel=stylesheet href=https://example.invalid/x.css></body></html>`;
  nasty.forEach((text, at) => {
    writeFileSync(join(work, `nasty-${at}`), at % 3 === 0 ? svg + at : at % 3 === 1 ? html + at : `\u001b]0;${text}\u0007\u001b[31m${text}\u001b[0m\n${text}\u0000`.replace('\u0000', ''));
    r.yatsu('eval', '.spec/<svg onload=pwned>', '--scenario', `${at} ${printable(text)}`, at % 2 ? '--pass' : '--fail', '--note', printable(text), '--result', `../nasty-${at}`);
  });
  r.write('src/<img src=x onerror=pwned>.ts', 'moved');
  r.yatsu('report', '--html', '../hostile.html', '--links', 'https://gitlab.example.org/a/b/-');
}

// Names that are long, that have no blank, and that run from right to left.
function lengthy() {
  const r = new Repository('lengthy');
  const word = 'w'.repeat(300), words = 'very long words '.repeat(15).trim();
  const entry = (name) => ({ name, tags: ['cli', 'backend-api', 'desktop', 'mobile'], code: ['src/a.ts'], description: `${name} ${name}`, expected: name });
  r.write('src/a.ts', 'x');
  r.node(`.spec/${'d'.repeat(60)}`, 'word '.repeat(40).trim(), [entry(word), entry(words)]);
  r.node('.spec/rtl', '\u05e2\u05d1\u05e8\u05d9\u05ea 123 (abc) \u05db\u05d5\u05ea\u05e8\u05ea', [entry('\u05e9\u05dc\u05d5\u05dd <b> (a|b) end'), entry('\u0634\u0631\u064a\u0637 (v2) 50% at start')]);
  r.commit('first');
  for (const name of [word, words]) r.yatsu('eval', 'd'.repeat(60), '--scenario', name, '--fail', '--note', name);
  r.yatsu('eval', 'rtl', '--scenario', '\u05e9\u05dc\u05d5\u05dd <b> (a|b) end', '--fail', '--note', '\u05d4\u05e2\u05e8\u05d4 (x) 12');
  r.yatsu('report', '--html', '../lengthy.html');
}

function many(name, nodes, each) {
  const r = new Repository(name);
  for (let n = 0; n < nodes; n += 1) {
    r.write(`src/m${n}.ts`, 'x\n');
    r.node(`.spec/area${n % 10}/part${n}`, `Part ${n}`, Array.from({ length: each }, (_, s) => ({ name: `behaviour ${s} of part ${n}`, tags: [['cli', 'backend-api', 'mobile'][s % 3]],
      code: [`src/m${n}.ts`], description: `Do what behaviour ${s} is about, step by step.`, expected: `Part ${n} shows ${s} and nothing else, and says so in one line.` })));
  }
  const head = r.commit('first');
  for (let n = 0; n < nodes; n += 1) {
    const line = (_, s) => JSON.stringify({ scenario: `behaviour ${s} of part ${n}`, codeSha: head, blob: null, evaluator: 'manual@1', verdict: { status: s % 9 ? 'pass' : 'fail' }, ts: `2026-01-01T${String(s % 24).padStart(2, '0')}:00:00.000Z` });
    r.write(`.spec/area${n % 10}/part${n}/yatsu.evals.ndjson`, Array.from({ length: each - 5 }, line).join('\n') + '\n');
    if (n % 4 === 0) r.write(`src/m${n}.ts`, 'moved\n');
  }
  r.yatsu('eval', '.spec/area0/part0', '--scenario', 'behaviour 0 of part 0', '--fail', '--image', '../moved.png');
  r.yatsu('report', '--html', `../${name}.html`, '--max-size', '25000000');
}

await usual();
hostile();
lengthy();
many('several', 6, 50);
many('many', 100, 100);
// Sixty and more commits: 120 scenarios are declared, measured, edited and measured again.
{
  const r = new Repository('aged');
  const names = Array.from({ length: 120 }, (_, at) => `behaviour ${at}`);
  names.forEach((_, at) => r.write(`src/${at}.ts`, `export const made = ${at};\n`));
  r.node('.spec/aged', 'Aged', names.map((name, at) => ({ name, description: 'd', expected: 'e', tags: ['cli'], code: [`src/${at}.ts`] })));
  const measured = (from, to, is) => {
    for (let at = from; at < to; at += 1) r.yatsu('eval', '.spec/aged', '--scenario', names[at], is(at) ? '--pass' : '--fail');
  };
  r.commit('declared');
  for (let part = 0; part < 12; part += 1) { measured(part * 10, part * 10 + 10, (at) => at % 10 !== 3); r.commit(`measured ${part}`); }
  for (let round = 0; round < 26; round += 1) {
    const at = round * 4;
    for (let file = at; file < at + 4; file += 1) r.write(`src/${file}.ts`, `export const made = ${file + 1000};\n`);
    r.commit(`edit ${round}`);
    measured(at, at + (round % 3 === 0 ? 2 : 4), (one) => one % 13 !== 5);
    r.commit(`again ${round}`);
  }
  r.yatsu('report', '--html', '../aged.html', '--history', '60', '--max-size', '25000000');
}
new Repository('empty').yatsu('report', '--html', '../empty.html');
