// Looks at the pages that make.mjs made, in a browser, and prints a row a question.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [browserPath, work, most, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const file = (name) => `file://${join(work, name)}`;
let wrong = 0;
const row = (question, found, expected = true) => {
  const is = JSON.stringify(found) === JSON.stringify(expected);
  wrong += is ? 0 : 1;
  console.log(`${is ? 'ok   ' : 'WRONG'} ${question}${is ? '' : `: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`}`);
};

// A page with everything that it says to the console, asks of the network or opens.
async function open(name, options = {}, fragment = '') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.said = [];
  page.on('console', (message) => page.said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.said.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { page.said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(file|data|http:\/\/127)/.test(request.url())) page.said.push(`request: ${request.url()}`); });
  await page.goto((name.includes('://') ? name : file(name)) + fragment);
  return page;
}
const shown = (page) => page.$$eval('article[data-scenario]', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.dataset.scenario));
const settled = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
const fragment = (page) => page.evaluate(() => decodeURIComponent(location.hash));

async function content() {
  const page = await open('usual.html');
  row('the score is the line', await page.textContent('#score'), '9 scenarios: 6 fresh (4 pass, 2 fail), 2 stale, 1 unmeasured');
  row('all scenarios are there', (await shown(page)).length, 9);
  row('the count says so', await page.textContent('#shown'), '9 of 9');
  row('failed ones are unfolded, others are not', await page.$$eval('article[data-scenario] > details[open]', (all) => all.map((one) => one.parentElement.dataset.verdict)), ['fail', 'fail']);
  await page.click('#unfold');
  row('every picture is drawn', await page.$$eval('img', async (all) => { for (const one of all) { one.loading = 'eager'; await one.decode(); } return all.map((one) => one.naturalWidth); }), [720, 720]);
  row('the film can be played', await page.$eval('video', (film) => new Promise((done) => { film.onloadedmetadata = () => done(film.videoWidth); film.onerror = () => done(film.error.message); film.load(); })), 160);
  row('its steps are listed', await page.$$eval('.steps li', (all) => all.length), 3);
  row('ages are told', /ago|now/.test(await page.textContent('article time')));
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

async function filtering() {
  const page = await open('usual.html');
  await page.fill('#q', 'KEYBOARD cards');
  await settled(page);
  row('words are looked for in names and nodes, case-blind', await shown(page), ['a card is moved by keyboard']);
  row('a parent of what is shown stays', await page.isVisible('section[data-node=".spec/app"]'));
  row('other nodes go', await page.isVisible('section[data-node=".spec/server"]'), false);
  row('the address has it', await fragment(page), '#q=KEYBOARD cards');
  await page.keyboard.press('Escape');
  await settled(page);
  row('Esc empties the search', [await page.inputValue('#q'), (await shown(page)).length], ['', 9]);
  await page.click('[data-filter-state=stale]');
  await page.click('[data-filter-state=unmeasured]');
  await settled(page);
  row('states are joined by or', await shown(page), ['finds by any word', 'says when nothing fits', 'exports as CSV']);
  await page.click('[data-filter-tag=mobile]');
  await settled(page);
  row('and narrowed by a tag', await shown(page), ['says when nothing fits']);
  row('pressed buttons say so', await page.getAttribute('[data-filter-tag=mobile]', 'aria-pressed'), 'true');
  row('the address has all of it', await fragment(page), '#state=stale,unmeasured&tag=mobile');
  await page.click('[data-filter-tag=mobile]');
  await page.click('[data-filter-state=stale]');
  await page.click('[data-filter-state=unmeasured]');
  await page.click('[data-filter-state=fail]');
  await settled(page);
  row('failed ones', (await shown(page)).length, 2);
  await page.click('[data-filter-state=fail]');
  for (const [word, count] of [['src/search', 1], ['mobile', 2], ['nobody', 0], ['spreadsheet', 1]]) {
    await page.fill('#q', word);
    await settled(page);
    row(`"${word}" is looked for where it may stand`, (await shown(page)).length, count);
  }
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

async function address() {
  const page = await open('usual.html', {}, '#q=card&state=fail,nonsense&tag=frontend-e2e&later=1&open=');
  row('a fragment is restored when the page is opened', await shown(page), ['a card is moved by keyboard']);
  await page.evaluate(() => { location.hash = '#q=csv'; });
  await settled(page);
  row('and when it changes', await shown(page), ['exports as CSV']);
  const id = await page.$eval('article[data-scenario="exports as CSV"]', (one) => one.id);
  await page.evaluate((to) => { location.hash = `#open=${to}`; }, id);
  await settled(page);
  row('a scenario is opened by it', await page.$eval(`#${id} > details`, (one) => one.open));
  await page.click('article[data-scenario="creates a card"] summary');
  row('opening one writes it there', await fragment(page), `#open=${await page.$eval('article[data-scenario="creates a card"]', (one) => one.id)}`);
  await page.fill('#q', 'nothing has this');
  await settled(page);
  await page.evaluate((to) => { location.hash = `#${to}`; }, id);
  await settled(page);
  row('a link to a scenario shows it, whatever is filtered', (await shown(page)).includes('exports as CSV'));
  for (const nasty of ['<img src=x onerror=window.pwned=1>', '"><script>window.pwned=1</script>', '%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E', '%E0%A4%A', 'javascript:window.pwned=1', '&&&===', '#'.repeat(50)]) {
    const before = await page.$$eval('*', (all) => all.length);
    await page.evaluate((text) => { location.hash = `#q=${text}&state=${text}&tag=${text}&open=${text}&${text}`; }, nasty);
    await settled(page);
    row(`markup in the fragment is text: ${nasty.slice(0, 20)}`, [await page.evaluate(() => window.pwned), await page.$$eval('*', (all) => all.length)], [null, before].map((one) => one ?? undefined));
  }
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

async function emptiness() {
  const page = await open('empty.html');
  row('where nothing is declared there is nothing to search', await page.isVisible('[role=search]'), false);
  row('and the page says how one begins', (await page.textContent('main')).includes('yatsu-hook new NODE --code PATH'));
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

async function keyboard() {
  const page = await open('usual.html');
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.dataset.filterState || document.activeElement.className || document.activeElement.textContent.slice(0, 20));
  const order = [];
  for (let at = 0; at < 5; at += 1) {
    await page.keyboard.press('Tab');
    order.push(await focused());
  }
  row('the way of the Tab key', order, ['skip', 'What the words mean', 'q', 'unfold', 'fresh']);
  row('what has the focus is seen', await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'solid');
  await page.keyboard.press('Space');
  await settled(page);
  row('a filter is pressed by Space', (await shown(page)).length, 6);
  await page.keyboard.press('Space');
  await page.focus('article[data-scenario="cards move between columns"] summary');
  // a style that says `solid` is not enough: what lies outside of the edge of a scenario is cut off
  const drawn = async () => (await page.locator('article[data-scenario="cards move between columns"]').screenshot({ animations: 'disabled' })).toString('base64');
  const without = await page.evaluate(() => document.activeElement.blur()).then(drawn);
  await page.keyboard.press('Shift');
  await page.focus('article[data-scenario="cards move between columns"] summary');
  row('the focus of a scenario is drawn', await drawn() !== without);
  await page.keyboard.press('Enter');
  row('a scenario is unfolded by Enter', await page.$eval('article[data-scenario="cards move between columns"] > details', (one) => one.open));
  row('and written into the address', (await fragment(page)).startsWith('#open=s-'));
  await page.focus('nav a');
  await page.keyboard.press('Enter');
  row('a link of the contents leads there', await page.evaluate(() => document.activeElement.closest('section') !== null));
  row('a reader is told of the parts', [await page.getByRole('search').count(), await page.getByRole('main').count(), await page.getByRole('navigation').count(), await page.getByRole('status').count()], [1, 1, 1, 1]);
  await page.context().close();
}

async function hostility() {
  for (const options of [{}, { javaScriptEnabled: false }]) {
    const page = await open('hostile.html', options);
    if (options.javaScriptEnabled !== false) {
      await page.click('#unfold');
      await page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));
      await page.hover('article');
      await page.waitForTimeout(300);
      row('no name, note, picture or text runs anything', await page.evaluate(() => String(window.pwned)), 'undefined');
    }
    row('no element of theirs is on the page', await page.$$eval('svg, iframe, object, embed, base, link, img, animate, [onload], [onerror], [onmouseover], [style], meta[http-equiv=refresh]', (all) => all.length), 0);
    row('one script, one style', await page.$$eval('script, style', (all) => all.length), 2);
    row('nothing is asked, opened or said', page.said, []);
    await page.context().close();
  }
  const text = readFileSync(join(work, 'usual.html'), 'utf8').replace('<main>', '<main><script>window.pwned = 1</script><p onclick="window.pwned = 1" id="trap" style="color: red">x</p><img src="/x.png">');
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url === '/sandbox') response.setHeader('Content-Security-Policy', 'sandbox');
    response.setHeader('Content-Type', 'text/html');
    response.end(request.url === '/trap' ? text : request.url === '/sandbox' ? readFileSync(join(work, 'usual.html')) : '');
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const at = (path) => `http://127.0.0.1:${server.address().port}/${path}`;
  const page = await open(at('trap'));
  await page.click('#trap');
  row('if markup came there, the policy stops it', [await page.evaluate(() => String(window.pwned)), await page.$eval('#trap', (one) => getComputedStyle(one).color === 'rgb(255, 0, 0)')], ['undefined', false]);
  row('and nothing is loaded', asked.includes('/x.png'), false);
  await page.context().close();
  const sandboxed = await open(at('sandbox'));
  row('under a sandbox all of it is there', [(await shown(sandboxed)).length, await sandboxed.isVisible('[role=search]')], [9, false]);
  await sandboxed.click('article[data-scenario="creates a card"] summary');
  row('and can be unfolded', await sandboxed.isVisible('article[data-scenario="creates a card"] .expected'));
  await sandboxed.context().close();
  server.close();
}

async function without() {
  const page = await open('usual.html', { javaScriptEnabled: false });
  row('without its script the search is not there', await page.isVisible('[role=search]'), false);
  row('and everything else is', (await shown(page)).length, 9);
  await page.click('article[data-scenario="creates a card"] summary');
  row('evidence is read', (await page.textContent('article[data-scenario="creates a card"] pre')).includes('"Paint the fence"'));
  await page.context().close();
}

async function printing() {
  const page = await open('usual.html', {}, '#tag=cli');
  await page.emulateMedia({ media: 'print' });
  row('controls are not printed', [await page.isVisible('form'), await page.isVisible('nav')], [false, false]);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  row('what is shown is unfolded', await page.$$eval('article[data-scenario]', (all) => all.filter((one) => one.checkVisibility()).every((one) => one.firstElementChild.open)));
  row('what is filtered stays so', (await shown(page)).length, 2);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  row('and folded again behind it', await page.$$eval('article[data-scenario] > details[open]', (all) => all.filter((one) => one.checkVisibility()).length), 0);
  await page.pdf({ path: join(work, 'page.pdf') });
  await page.context().close();
}

async function accessible() {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 380]) {
      for (const unfolded of [false, true]) {
        const page = await open('usual.html', { colorScheme, viewport: { width, height: 900 } });
        if (unfolded) await page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));
        await page.click('[data-filter-state=fresh]');
        await settled(page);
        // as the browser's own tools do it: the policy of the page lets no other script in
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
        row(`axe-core ${colorScheme} ${width}${unfolded ? ' unfolded' : ''}`, found.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 90)}`), []);
        row('no scenario reaches the edge at which its node is cut off', await page.$$eval('article[data-scenario]', (all) => all.every((one) =>
          !one.checkVisibility() || one.getBoundingClientRect().right <= one.closest('section').getBoundingClientRect().right - 0.9)));
        row('nothing is wider than the window', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.context().close();
      }
    }
  }
}

async function fast() {
  const page = await open('many.html');
  row('10,000 scenarios', await page.textContent('#shown'), '10000 of 10000');
  // of each word the best of five rounds: a browser that waits for its turn on a busy machine tells nothing of the page
  const rounds = [];
  for (let at = 0; at < 5; at += 1) rounds.push(await page.evaluate(async () => {
    const query = document.querySelector('#q'), told = [];
    const painted = () => new Promise((done) => { requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); }); });
    for (const word of ['behaviour 7', 'part 31', '', 'mobile part 5', 'nothing', '', 'shows 99']) {
      await new Promise((done) => { setTimeout(done, 200); });
      const from = performance.now();
      query.value = word;
      query.dispatchEvent(new Event('input'));
      await painted();
      told.push(Math.round(performance.now() - from));
    }
    return told;
  }));
  const times = rounds[0].map((_, at) => Math.min(...rounds.map((round) => round[at])));
  row(`a filter of 10,000 takes less than ${most} ms (${times.join(', ')})`, Math.max(...times) < Number(most));
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

async function pictures() {
  for (const [name, colorScheme] of [['page-light', 'light'], ['page-dark', 'dark']]) {
    const page = await open('usual.html', { colorScheme, viewport: { width: 1180, height: 820 } });
    await page.screenshot({ path: join(shots, `${name}.png`) });
    await page.context().close();
  }
}

for (const part of [content, filtering, address, emptiness, keyboard, hostility, without, printing, accessible, fast]) {
  try {
    await part();
  } catch (error) {
    row(part.name, String(error).split('\n')[0]);
  }
}
if (shots) await pictures();
await browser.close();
console.log(wrong === 0 ? 'the page is as it should be' : `${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
