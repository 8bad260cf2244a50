// Looks at the pages that make.mjs made, in a browser, and prints a row for each question.
import { readFileSync, statSync } from 'node:fs';
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
// The names of the passing scenarios are in folded groups; a script-less page has the same groups.
const unfoldPasses = async (page) => { for (const group of await page.$$('details.passes:not([open]) > summary')) await group.click(); };
const openAll = (page) => page.$$eval('details:not(.zoom)', (all) => all.forEach((one) => { one.open = true; }));
const fragment = (page) => page.evaluate(() => decodeURIComponent(location.hash));

async function content() {
  const page = await open('usual.html');
  row('the score is the line', await page.textContent('#score'), '9 scenarios: 6 fresh (4 pass, 2 fail), 2 stale, 1 unmeasured');
  row('what fails or is stale stands first, passes are folded', await shown(page), ['a card is moved by keyboard', 'finds by any word', 'says when nothing fits', 'keeps its rate', 'exports as CSV']);
  row('each node says how many passes it folds', await page.$$eval('.passes > summary', (all) => all.map((one) => one.textContent)), ['2 pass', '1 pass', '1 pass']);
  row('the project and its branch are named', [await page.textContent('h1'), await page.getAttribute('#source', 'data-branch'), await page.title()], ['board', 'main', 'board · 9 scenarios: 6 fresh (4 pass, 2 fail), 2 stale, 1 unmeasured']);
  const counts = await page.$$eval('[data-filter-state]', (all) => all.map((one) => one.textContent));
  row('the filters are the parts of the score line, and add up', [counts, counts.reduce((sum, text) => sum + Number(text.split(' ').pop()), 0)], [['fail 2', 'stale 2', 'unmeasured 1', 'pass 4'], 9]);
  row('the last ten verdicts stand in a strip', await page.$eval('article[data-scenario="creates a card"] .strip', (one) => [one.getAttribute('aria-label'), one.children.length]), ['last verdicts, the newest at the end: pass, pass, pass, fail, pass, pass, pass, fail, pass, pass', 10]);
  row('the count says so', await page.textContent('#shown'), '9 of 9');
  row('failed ones are unfolded, others are not', await page.$$eval('article[data-scenario] > details[open]', (all) => all.map((one) => one.parentElement.dataset.verdict)), ['fail', 'fail']);
  await page.click('#unfold');
  row('all scenarios are there', (await shown(page)).length, 9);
  row('every picture is drawn', await page.$$eval('img', async (all) => { for (const one of all) await one.decode(); return all.map((one) => one.naturalWidth); }), [720, 720, 720]);
  row('the film can be played', await page.$eval('video', (film) => new Promise((done) => { film.onloadedmetadata = () => done(film.videoWidth); film.onerror = () => done(film.error.message); film.load(); })), 160);
  row('its steps are listed', await page.$$eval('.steps li', (all) => all.length), 3);
  row('ages are told', /ago|now/.test(await page.textContent('article time')));
  await page.click('nav [data-mark=stale]');
  await settled(page);
  row('a mark of the contents filters', [await shown(page), await fragment(page)], [['finds by any word'], '#q=.spec/app/search&state=stale']);
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
  row('Esc empties the search', [await page.inputValue('#q'), await page.textContent('#shown'), (await shown(page)).length], ['', '9 of 9', 5]);
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
  await page.click('[data-filter-state=pass]');
  await settled(page);
  row('passes that are asked for are unfolded', (await shown(page)).length, 4);
  await page.click('[data-filter-state=pass]');
  await settled(page);
  row('and folded again', (await shown(page)).length, 5);
  await page.fill('#q', 'no scenario has this');
  await settled(page);
  row('a search without a result says so', [await page.textContent('#shown'), await page.isVisible('#nothing'), (await page.textContent('#nothing')).startsWith('Nothing found')], ['0 of 9', true, true]);
  row('and no node is left in the contents', await page.$$eval('nav li:not(.part)', (all) => all.filter((one) => one.checkVisibility()).length), 0);
  await page.click('#all');
  await settled(page);
  row('one button shows all again', [await page.textContent('#shown'), await page.isVisible('#nothing'), await page.inputValue('#q')], ['9 of 9', false, '']);
  await page.fill('#q', 'rate');
  await settled(page);
  row('the contents are filtered with the tree', await page.$$eval('nav li:not(.part)', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent)), ['Server 1 of 2 1 fail']);
  for (const [word, count] of [['src/search', 1], ['mobile', 2], ['astronaut', 0], ['spreadsheet', 1]]) {
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
  await unfoldPasses(page);
  await page.click('article[data-scenario="creates a card"] summary');
  row('opening one writes it there', await fragment(page), `#open=${await page.$eval('article[data-scenario="creates a card"]', (one) => one.id)}`);
  await page.fill('#q', 'nothing has this');
  await settled(page);
  await page.evaluate((to) => { location.hash = `#${to}`; }, id);
  await settled(page);
  await page.evaluate(() => { location.hash = '#state=fresh'; });
  await settled(page);
  await page.evaluate(() => { location.hash = '#state=nonsense'; });
  await settled(page);
  row('a state that no scenario has shows none', [await page.textContent('#shown'), await page.isVisible('#nothing')], ['0 of 9', true]);
  await page.evaluate(() => { location.hash = '#state=fresh'; });
  await settled(page);
  row('fresh is pass and fail', [await page.textContent('#shown'), await page.$$eval('[aria-pressed=true]', (all) => all.map((one) => one.dataset.filterState))], ['6 of 9', ['fail', 'pass']]);
  const folded = await page.$eval('article[data-scenario="imports twice without doubling"]', (one) => one.id);
  await page.evaluate((to) => { location.hash = `#open=${to}`; }, folded);
  await settled(page);
  row('a folded pass is unfolded with its group', await page.isVisible(`#${folded} .expected`));
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
  const none = await open('none.html');
  row('a page of tags that no scenario has says that nothing was found', (await none.textContent('main')).includes('Nothing found: no scenario has these nodes and tags.'));
  await none.context().close();
}

async function keyboard() {
  const page = await open('usual.html');
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.dataset.filterState || document.activeElement.className || (document.activeElement.closest('#history') ? 'history' : '') || (document.activeElement.matches('#source a') ? 'commit' : document.activeElement.textContent.slice(0, 20)));
  const order = [];
  for (let at = 0; at < 8; at += 1) {
    await page.keyboard.press('Tab');
    order.push(await focused());
  }
  row('the way of the Tab key', order, ['skip', 'board', 'commit', 'What the words mean', 'history', 'q', 'unfold', 'fail']);
  row('what has the focus is seen', await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'solid');
  await page.keyboard.press('Space');
  await settled(page);
  row('a filter is pressed by Space', (await shown(page)).length, 2);
  await page.keyboard.press('Space');
  await page.focus('.passes > summary');
  await page.keyboard.press('Enter');
  row('passes are unfolded by Enter', await page.isVisible('article[data-scenario="cards move between columns"]'));
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
      await openAll(page);
      await page.hover('article');
      await page.waitForTimeout(300);
      row('no name, note, picture or text runs anything', await page.evaluate(() => String(window.pwned)), 'undefined');
    }
    row('no element of theirs is on the page', await page.$$eval('svg, iframe, object, embed, base, link, img, animate, [onload], [onerror], [onmouseover], [style], meta[http-equiv=refresh]', (all) => all.length), 0);
    const [home, branch] = [await page.textContent('h1'), await page.getAttribute('#source', 'data-branch')];
    row('the branch is text, and the project is the one of the links', [home, branch], ['b', '<script>window.pwned=1</script>"onload=x\'&']);
    const away = await page.$$eval('a[href]', (all) => all.map((one) => one.getAttribute('href')).filter((to) => !to.startsWith('#')));
    row('links lead to the forge alone', [away.length > 3, away.every((to) => /^https:\/\/gitlab\.example\.org\/a\/b(\/-\/(commit\/[0-9a-f]{40}|blob\/[0-9a-f]{40}\/[\w.%\/-]+))?$/.test(to))], [true, true]);
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
  row('under a sandbox all of it is there', [(await unfoldPasses(sandboxed), await shown(sandboxed)).length, await sandboxed.isVisible('[role=search]')], [9, false]);
  await sandboxed.click('article[data-scenario="creates a card"] summary');
  row('and can be unfolded', await sandboxed.isVisible('article[data-scenario="creates a card"] .expected'));
  await sandboxed.context().close();
  server.close();
}

async function without() {
  const page = await open('usual.html', { javaScriptEnabled: false });
  row('without its script the search is not there', await page.isVisible('[role=search]'), false);
  row('the passes are folded', (await shown(page)).length, 5);
  await unfoldPasses(page);
  row('and everything else is there', (await shown(page)).length, 9);
  row('a command is there to be selected, the button is not', [await page.isVisible('.again code'), await page.isVisible('.copy'), await page.$eval('.again code', (one) => getComputedStyle(one).userSelect)], [true, false, 'all']);
  await page.click('article[data-scenario="creates a card"] summary');
  row('evidence is read', (await page.textContent('article[data-scenario="creates a card"] pre')).includes('"Paint the fence"'));
  await page.context().close();
}

// A picture over the page: as large as the window, by a click and by the keyboard, without the script too.
async function pictureLarge() {
  for (const [name, options] of [['usual.html', {}], ['usual.html', { javaScriptEnabled: false }], ['usual.html', { viewport: { width: 390, height: 844 } }], ['many.html', { javaScriptEnabled: false }]]) {
    const page = await open(name, options);
    const what = `${name} ${JSON.stringify(options)}`;
    const zoom = page.locator('.zoom').first(), picture = zoom.locator('img');
    await picture.scrollIntoViewIfNeeded();
    const before = await picture.boundingBox();
    await picture.click();
    const large = await picture.boundingBox();
    const { width, height } = page.viewportSize();
    row(`a click enlarges a picture: ${what}`, [large.width > before.width * 1.5, large.width >= Math.min(width - 40, 720)], [true, true]);
    const cover = await zoom.locator('summary').boundingBox();
    row('it covers the window', [cover.x, cover.y, Math.round(cover.width), Math.round(cover.height)], [0, 0, width, height]);
    await page.mouse.click(10, height - 10);
    row('a second click closes it', (await picture.boundingBox()).width, before.width);
    await zoom.locator('summary').focus();
    await page.keyboard.press('Enter');
    row('Enter enlarges it', (await picture.boundingBox()).width, large.width);
    await page.keyboard.press('Enter');
    row('and closes it', (await picture.boundingBox()).width, before.width);
    if (options.javaScriptEnabled !== false) {
      await page.keyboard.press('Space');
      await page.keyboard.press('Escape');
      row('with the script Esc closes it, too', (await picture.boundingBox()).width, before.width);
    }
    await page.context().close();
  }
}

async function pairs() {
  for (const width of [1280, 390]) {
    const page = await open('usual.html', { javaScriptEnabled: false, viewport: { width, height: 900 } });
    row('one scenario has two pictures that differ', await page.$$eval('div.pair[data-pair]', (all) => all.map((one) => one.closest('article').dataset.scenario)), ['cards move between columns']);
    await unfoldPasses(page);
    await page.click('article[data-scenario="cards move between columns"] summary');
    const [before, after] = await page.$$eval('.pair > figure', (all) => all.map((one) => ({ box: one.getBoundingClientRect().toJSON(), text: one.textContent, img: one.querySelectorAll('img').length })));
    row(`before and after stand beside each other at ${width}`, [before.box.top === after.box.top, before.box.right < after.box.left, before.img, after.img], [true, true, 1, 1]);
    row('and say so', [/^before fail, 20/.test(before.text), /^after pass, 20/.test(after.text)], [true, true]);
    row('each picture is on the page once', await page.$$eval('img', (all) => [all.length, new Set(all.map((one) => one.src)).size]), [3, 3]);
    await page.context().close();
  }
}

async function linking() {
  const page = await open('usual.html');
  const to = (selector) => page.$$eval(selector, (all) => all.map((one) => one.closest('a')?.getAttribute('href') ?? null));
  const head = await page.getAttribute('#source', 'data-commit');
  row('the project is a link', await to('h1 a'), ['https://github.com/acme/board']);
  row('a moved file is a link to the commit of the page, beside the line that unfolds', await to('[data-moved="src/cli/export.ts"]'), [null, `https://github.com/acme/board/blob/${head}/src/cli/export.ts`]);
  row('a moved directory is named', (await to('[data-moved="src/search"]')).every((link) => link === null));
  row('a governed file, too', (await to('#coverage [data-path="src/board/keys.ts"] code'))[0], `https://github.com/acme/board/blob/${head}/src/board/keys.ts`);
  row('commits are links', (await to('.latest .by code')).every((link) => /^https:\/\/github\.com\/acme\/board\/commit\/[0-9a-f]{40}$/.test(link)));
  await page.context().close();
  const plain = await open('public.html');
  row('without --links no link leads off the page', await plain.$$eval('a', (all) => all.filter((one) => !one.getAttribute('href').startsWith('#')).length), 0);
  row('a page for publication names no branch', [await plain.textContent('h1'), await plain.getAttribute('#source', 'data-branch')], ['usual', null]);
  await plain.context().close();
}

async function copying() {
  const page = await open('usual.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  const button = page.locator('article[data-scenario="keeps its rate"] .copy');
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.textContent === 'copied');
  row('the command that measures again is copied, without a verdict', await page.evaluate(() => navigator.clipboard.readText()), "yatsu-hook eval '.spec/server/keeps its rate'");
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); });
  await page.locator('article[data-scenario="a card is moved by keyboard"] .copy').click();
  await page.waitForFunction(() => String(getSelection()) !== '');
  row('where that is forbidden it is selected', [await page.evaluate(() => String(getSelection())), await page.textContent('article[data-scenario="a card is moved by keyboard"] .copy')], ["yatsu-hook eval '.spec/app/cards/a card is moved by keyboard'", 'selected']);
  row('nothing is said to the console', page.said, []);
  await page.context().close();
}

// Every scenario is drawn in a capture of the whole page, also far below the first screens.
async function captured() {
  for (const [name, options] of [['usual.html', {}], ['several.html', {}], ['several.html', { javaScriptEnabled: false }]]) {
    const page = await open(name, options);
    const boxes = await page.$$eval('article[data-scenario], section.part', (all) => all.filter((one) => one.checkVisibility()).map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [x, y + scrollY, width, Math.min(height, 40)].map(Math.round);
    }));
    const picture = (await page.screenshot({ fullPage: true })).toString('base64');
    const blank = await browser.newPage();
    const empty = await blank.evaluate(async ([data, areas]) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const colours = ([x, y, width, height]) => new Set(new Uint32Array(context.getImageData(x + 8, y + 4, width - 16, height - 8).data.buffer)).size;
      return areas.filter((area) => colours(area) < 3).length;
    }, [picture, boxes]);
    row(`a capture of the whole page is complete: ${name}, ${boxes.length} parts down to ${boxes.at(-1)[1]}`, [boxes.at(-1)[1] > 2000, empty], [true, 0]);
    await blank.close();
    await page.context().close();
  }
}

async function printing() {
  const page = await open('usual.html', {}, '#tag=cli');
  await page.emulateMedia({ media: 'print' });
  row('controls are not printed', [await page.isVisible('form'), await page.isVisible('nav')], [false, false]);
  await page.$$eval('.zoom', (all) => all.forEach((one) => { one.open = true; }));
  row('an enlarged picture stays in its place on paper', await page.$$eval('.zoom[open] > summary', (all) => [...new Set(all.map((one) => getComputedStyle(one).position))]), ['static']);
  await page.$$eval('.zoom', (all) => all.forEach((one) => { one.open = false; }));
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  row('what is shown is unfolded', await page.$$eval('article[data-scenario]', (all) => all.filter((one) => one.checkVisibility()).every((one) => one.firstElementChild.open)));
  row('but no picture lies over the page', await page.$$eval('.zoom[open]', (all) => all.length), 0);
  row('what is filtered stays so', (await shown(page)).length, 2);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  row('and folded again behind it', await page.$$eval('article[data-scenario] > details[open]', (all) => all.filter((one) => one.checkVisibility()).length), 0);
  await page.pdf({ path: join(work, 'page.pdf') });
  await page.context().close();
}

// All rules, experimental ones too, except the contrast of level AAA: the page promises AA.
async function violations(page) {
  // as the browser's own tools do it: the policy of the page lets no other script in
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'],
    rules: Object.fromEntries(axe.getRules().map(({ ruleId }) => [ruleId, { enabled: ruleId !== 'color-contrast-enhanced' }])) }));
  return found.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 90)}`);
}

// The score over time: its columns are as high as the figures of its table say, without colour, script or sight.
async function history() {
  for (const [width, colorScheme, javaScriptEnabled] of [[1280, 'light', true], [390, 'dark', true], [390, 'light', false]]) {
    const page = await open('aged.html', { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
    const drawn = await page.$$eval('#history ol li', (all) => all.map((column) => {
      const parts = {};
      for (const part of column.querySelectorAll('[data-state]')) parts[part.dataset.state] = part.getBoundingClientRect().height;
      return { commit: column.dataset.commit, width: column.getBoundingClientRect().width, parts };
    }));
    const figures = await page.$$eval('#history tbody tr', (all) => all.map((line) => [line.dataset.commit,
      Object.fromEntries([...line.querySelectorAll('[data-state]')].map((cell) => [cell.dataset.state, Number(cell.textContent)]))]).reverse());
    row(`${width} ${colorScheme}: sixty columns, one a commit of the table`, [drawn.length, drawn.every((one, at) => one.commit === figures[at][0])], [60, true]);
    const above = (of) => ['fail', 'stale', 'unjudged', 'unmeasured', 'legacy'].reduce((sum, state) => sum + (of[state] ?? 0), 0);
    const most = Math.max(...figures.map(([, of]) => above(of))), mostPass = Math.max(...figures.map(([, of]) => of.pass));
    row('each column is as high as its figures', drawn.every(({ parts }, at) => Math.abs(above(parts) - above(figures[at][1]) * 64 / most) <= 4
      && Math.abs((parts.pass ?? 0) - figures[at][1].pass * 32 / mostPass) <= 3));
    row('what is there is seen', drawn.every(({ parts }, at) => Object.entries(figures[at][1]).every(([state, number]) => (number > 0) === ((parts[state] ?? 0) >= 3))));
    row('fails stand at the line', await page.$$eval('#history ol li div:first-child', (all) => all.every((half) => {
      const fail = half.querySelector('[data-state=fail]');
      return !fail || Math.abs(fail.getBoundingClientRect().bottom - half.getBoundingClientRect().bottom) <= 1.1;
    })));
    row('columns have 4 to 12 pixels', drawn.every((one) => one.width >= 3.99 && one.width <= 12.01));
    row('the scales are said', await page.$$eval('.scale', (all) => all.map((one) => /: at the last commit \d+, at most \d+$/.test(one.textContent))), [true, true]);
    row('the chart is not read out, its table is', await page.$eval('#history', (one) => [one.querySelector('ol').ariaHidden, one.querySelectorAll('ol a').length, one.querySelector('details table') !== null]), ['true', 0, true]);
    row('the days stand in one line', await page.$eval('.days', (one) => one.getClientRects().length === 1 && one.getBoundingClientRect().height < 30));
    row('nothing is wider than the window', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (javaScriptEnabled) {
      await page.fill('#q', 'behaviour 7');
      await settled(page);
      row('no filter changes it', await page.$$eval('#history ol li', (all) => all.length), 60);
      await openAll(page);
      row('axe-core', await violations(page), []);
    }
    row('nothing is said to the console', page.said, []);
    await page.context().close();
  }
}

async function accessible() {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
      for (const state of ['all', 'folded', 'unfolded', 'enlarged', 'nothing']) {
        const page = await open('usual.html', { colorScheme, viewport: { width, height: 900 } });
        if (state === 'unfolded') await openAll(page);
        if (state === 'nothing') await page.fill('#q', 'no scenario has this');
        else if (state !== 'all') await page.click('[data-filter-state=fail]');
        await settled(page);
        if (state === 'enlarged') await page.click('.zoom img');
        row(`axe-core ${colorScheme} ${width} ${state}`, await violations(page), []);
        row('no scenario reaches the edge at which its node is cut off', await page.$$eval('article[data-scenario]', (all) => all.every((one) =>
          !one.checkVisibility() || one.getBoundingClientRect().right <= one.closest('section').getBoundingClientRect().right - 0.9)));
        row('nothing is wider than the window', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.context().close();
      }
    }
  }
}

// 640 wide is what 200 % of 1280 leaves, 320 what 400 % leaves.
async function lengthy() {
  for (const width of [1280, 640, 320]) {
    const page = await open('lengthy.html', { viewport: { width, height: 900 } });
    await openAll(page);
    row(`long names fit into ${width}`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    row('and into their scenarios', await page.$$eval('article[data-scenario] *', (all) => all.every((one) =>
      !one.checkVisibility() || one.getBoundingClientRect().right <= one.closest('article').getBoundingClientRect().right)));
    row('axe-core', await violations(page), []);
    await page.context().close();
  }
  const page = await open('lengthy.html');
  row('a name that runs from right to left draws in nothing beside it', await page.$$eval('nav li > a[href^="#n-"]', (all) => {
    const [short] = all.filter((one) => one.textContent.length < 60);
    return short.parentElement.querySelector('.many').getBoundingClientRect().left >= short.getBoundingClientRect().right;
  }));
  const first = (selector) => page.$eval(selector, (one) => {
    const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode(), range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 1);
    const [letter, whole] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
    return letter.left + letter.width / 2 > whole.left + whole.width / 2;
  });
  row('and begins at the right', await first('article[data-scenario$="end"] summary h3'));
  row('another one at the left', await first('article[data-scenario^="very"] summary h3'), false);
  await page.context().close();
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

// The pictures of the documentation: a state of the page each.
async function pictures() {
  const wide = { width: 1180, height: 820 };
  const to = (selector) => (page) => page.locator(selector).first().evaluate((one) => one.scrollIntoView({ behavior: 'instant' }));
  for (const [name, options, prepare, shown = 'usual.html'] of [
    ['page-light', { viewport: wide }, () => {}],
    ['page-dark', { viewport: wide, colorScheme: 'dark' }, () => {}],
    ['page-narrow', { viewport: { width: 390, height: 844 } }, () => {}],
    ['page-without-script', { viewport: wide, javaScriptEnabled: false }, unfoldPasses],
    ['page-pair', { viewport: { width: 1180, height: 640 } }, async (page) => {
      await unfoldPasses(page);
      await page.click('article[data-scenario="cards move between columns"] summary');
      await to('.pair')(page);
    }],
    ['page-picture', { viewport: { width: 1180, height: 640 } }, (page) => page.click('.zoom img')],
    ['page-filter', { viewport: { width: 1180, height: 640 } }, (page) => page.fill('#q', 'card')],
    ['page-history', { viewport: { width: 1180, height: 480 } }, () => {}, 'aged.html'],
    ['page-history-narrow', { viewport: { width: 390, height: 480 }, colorScheme: 'dark' }, () => {}, 'aged.html'],
    ['page-nothing', { viewport: { width: 1180, height: 480 } }, (page) => page.fill('#q', 'astronaut')],
  ]) {
    const page = await open(shown, options);
    await prepare(page);
    // a page without its script has no frames to wait for
    if (options.javaScriptEnabled !== false) await settled(page);
    const path = join(shots, `${name}.png`);
    await page.screenshot({ path, animations: 'disabled' });
    row(`${name}.png is a small picture`, statSync(path).size < 150_000);
    await page.context().close();
  }
}

for (const part of [content, filtering, address, emptiness, keyboard, hostility, without, pictureLarge, pairs, linking, copying, captured,
  printing, history, accessible, lengthy, fast]) {
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
