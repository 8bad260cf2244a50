// Makes a repository and a change of all its scenarios, has the comment made, renders it as GitHub does (CommonMark with GFM),
// and follows its first link in a browser.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';

const [program, browserPath, work] = process.argv.slice(2);
const repo = join(work, 'repo');
let wrong = 0;
const row = (question, found, expected = true) => {
  const is = JSON.stringify(found) === JSON.stringify(expected);
  wrong += is ? 0 : 1;
  console.log(`${is ? 'ok   ' : 'WRONG'} ${question}${is ? '' : `: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`}`);
};
const run = (command, ...args) => execFileSync(command, args, { cwd: repo, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const write = (path, text) => { mkdirSync(join(repo, path, '..'), { recursive: true }); writeFileSync(join(repo, path), text); };
const commit = (message) => { run('git', 'add', '-A'); run('git', 'commit', '-qm', message); return run('git', 'rev-parse', 'HEAD').trim(); };

const HOSTILE = ['@team #1', '](javascript:alert(1))', 'a|b', '|', '||x||', 'a\\|b <img src=x onerror=alert(1)>', '`', '``a`` `b`',
  '--> <b>bold</b> <!-- x', '![](https://example.org/x.png)', '</sub></table><script>alert(1)</script>', '[x](https://example.org)',
  'https://example.org www.example.org', '*a* _b_ ~~c~~', '&lt;b&gt; &amp;', 'ends with \\', '\\` | `', ':tada: $x$ <x@example.org>'];
const names = [...HOSTILE, ...Array.from({ length: 32 }, (_, number) => `scenario number ${number}`)];
const FAILING = 'scenario number 7';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8DAAMQADf4B/9zvUzcAAAAASUVORK5CYII=', 'base64');

mkdirSync(repo);
run('git', 'init', '-q', '-b', 'main');
const quoted = (name) => `'${name.replaceAll("'", "''")}'`;
const entry = (name) => `  - name: ${quoted(name)}\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/a\n`;
write('src/a', '1\n');
write('.spec/n/yatsu.md', `---\nscenarios:\n${names.map(entry).join('')}---\n`);
commit('declared');
const measure = (name, ...how) => run(program, '-q', 'eval', 'n', `--scenario=${name}`, ...how);
names.forEach((name) => measure(name, '--pass'));
const from = commit('measured');
write('src/a', '2\n');
commit('change');
writeFileSync(join(work, 'shot.png'), PNG);
names.slice(0, 40).forEach((name) => (name === FAILING ? measure(name, '--fail', '--image', '../shot.png') : measure(name, '--pass')));
commit('measured again');

const served = {};
const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(served[request.url.replace(/\?.*/, '')] ?? '');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/page.html?a=1&copy;&lt;b&amp;&b=2`;
served['/page.html'] = run(program, 'report', '--html', '-');
const comment = run(program, 'report', '--pr', '--from', from, '--to', 'HEAD', '--page', address);
served['/comment.html'] = `<!DOCTYPE html>${micromark(comment, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true })}`;
row('the comment of 50 scenarios is short', comment.length < 60_000);

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const said = [];
page.on('console', (message) => said.push(message.text()));
page.on('dialog', (dialog) => { said.push(dialog.message()); dialog.dismiss(); });
page.on('request', (request) => { if (!/^(data|http:\/\/127)/.test(request.url())) said.push(request.url()); });
await page.goto(address.replace(/page.html.*/, 'comment.html'));
const elements = await page.$$eval('body *', (all) => [...new Set(all.map((one) => one.localName))].sort());
const OURS = ['a', 'code', 'h2', 'h3', 'li', 'p', 'sub', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'];
row('no element but of this program', elements.filter((name) => !OURS.includes(name)), []);
const links = await page.$$eval('a', (all) => all.map((one) => one.href));
const ours = links.filter((link) => link === address || (link.startsWith(`${address}#`) && /#open=s-[0-9a-f]{12}$/.test(link)));
row('a link for each scenario, for the one with a picture another, one for the page, and no more', [ours.length, links.length], [52, 52]);
const cells = await page.$$eval('tbody tr', (all) => all.map((one) => [...one.cells].map((cell) => cell.querySelectorAll('code').length)));
row('each name is one code span of its own cell', cells.filter((row) => row[0] !== 1 || row.slice(1).some((count) => count > 1)), []);
// in a table no code span can hold a bar behind one backslash: the backslash is lost
const expected = names.map((name) => `n/${name.replaceAll('\\|', '|')}`).sort();
const found = await page.$$eval('tbody td:first-child code', (all) => all.map((one) => one.textContent));
row('every name stands as it was declared', found.sort().filter((name, at) => name !== expected[at]), []);

const first = page.locator('h3:text-is("Measured") + table tbody tr').first();
row('the failing scenario stands first', (await first.textContent()).replace(/\s+/g, ' ').trim(), `n/${FAILING} fresh pass fresh fail`);
await first.locator('a').click();
await page.waitForFunction(() => [...document.images].some((one) => one.complete && one.naturalWidth > 0));
const article = page.locator(`article[data-scenario="${FAILING}"]`);
row('one click away is its article', await article.isVisible());
const picture = article.locator('img').first();
await picture.scrollIntoViewIfNeeded();
row('with the picture, drawn', await picture.evaluate((one) => one.checkVisibility() && one.naturalWidth), 2);
row('nothing was asked of another place, and nothing ran', said, []);
await browser.close();
server.close();
process.exit(wrong > 0 ? 1 : 0);
