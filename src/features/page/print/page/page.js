'use strict';
(() => {
  // The page is complete without this. It filters, keeps the search in the fragment, copies commands and adds ages. It sets
  // texts, `hidden` and attributes; it never makes markup.
  const one = (selector) => document.querySelector(selector);
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const form = one('[role=search]'), query = one('#q'), shown = one('#shown'), unfold = one('#unfold'), nothing = one('#nothing');
  const entries = new Map(all('nav a:not([data-mark])').map((link) => [link.getAttribute('href'), link.parentElement]));
  // the nodes, inner ones first; `count` and `of` are what is shown of the node, in all and by state, `below` with the nodes inside
  const sections = all('section[data-node]').reverse().map((element) => {
    const entry = entries.get(`#${element.id}`);
    const many = Array.from(entry.children).find((child) => child.className === 'many');
    const marks = Array.from(entry.children).filter((child) => 'mark' in child.dataset);
    const passes = Array.from(element.children).find((child) => child.className === 'passes');
    return { element, entry, many, marks, passes, wasOpen: false, all: 0, count: 0, of: {}, below: 0 };
  });
  const sectionOf = new Map(sections.map((section) => [section.element, section]));
  const items = all('article[data-scenario]').map((element) => {
    const section = sectionOf.get(element.closest('section')), { state, verdict } = element.dataset;
    section.all += 1;
    // the parts of the score line: a stale pass is no pass
    return { element, section, state: state === 'fresh' ? verdict : state, tags: null, text: null, isHidden: false };
  });
  const buttons = all('button[data-filter-state], button[data-filter-tag]');
  let opened = '', wasAsked = false;
  // states and tags of the address that no scenario here has
  let absent = { filterState: [], filterTag: [] };

  const textOf = (item) => {
    if (item.text === null) {
      const { element } = item;
      const heading = element.closest('section').firstElementChild.textContent;
      const moved = all('[data-moved]', element).map((code) => code.textContent);
      const parts = [element.dataset.node, heading, element.dataset.scenario, element.dataset.tags, ...moved];
      item.text = parts.concat(element.querySelector('.expected').textContent).join('\n').toLowerCase();
    }
    return item.text;
  };
  const tagsOf = (item) => {
    item.tags = item.tags || all('[data-tag]', item.element).map((chip) => chip.dataset.tag);
    return item.tags;
  };
  const pressed = (name) => buttons.filter((button) => name in button.dataset && button.getAttribute('aria-pressed') === 'true')
    .map((button) => button.dataset[name]).concat(absent[name]);

  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = pressed('filterState'), tags = pressed('filterTag');
    const isAsked = words.length + states.length + tags.length > 0;
    for (const section of sections) {
      section.count = section.below = 0;
      section.of = {};
    }
    let count = 0;
    for (const item of items) {
      const fits = (states.length === 0 || states.includes(item.state))
        && (tags.length === 0 || tagsOf(item).some((tag) => tags.includes(tag)))
        && words.every((word) => textOf(item).includes(word));
      if (item.isHidden === fits) {
        item.isHidden = !fits;
        item.element.hidden = !fits;
      }
      if (!fits) continue;
      count += 1;
      item.section.count += 1;
      item.section.of[item.state] = (item.section.of[item.state] || 0) + 1;
    }
    for (const section of sections) narrow(section, isAsked);
    wasAsked = isAsked;
    nothing.hidden = !isAsked || count > 0;
    shown.textContent = `${count} of ${items.length}`;
  };
  const set = (element, key, value) => {
    if (element[key] !== value) element[key] = value;
  };
  // A node and its line in the contents. A parent with a shown child stays.
  const narrow = (section, isAsked) => {
    const { element, entry, many, marks, passes } = section;
    section.below += section.count;
    const outer = sectionOf.get(element.parentElement.closest('section'));
    if (outer) outer.below += section.below;
    set(element, 'hidden', section.below === 0);
    set(entry, 'hidden', section.below === 0);
    if (many) set(many, 'textContent', section.count === section.all ? `${section.all}` : `${section.count} of ${section.all}`);
    for (const mark of marks) {
      const state = mark.dataset.mark, number = section.of[state] || 0;
      set(mark, 'hidden', number === 0);
      set(mark, 'textContent', `${number} ${state}`);
    }
    if (!passes) return;
    set(passes, 'hidden', !section.of.pass);
    // passes that are looked for are unfolded, and folded again afterwards
    if (isAsked && !wasAsked) section.wasOpen = passes.open;
    if (isAsked || wasAsked) set(passes, 'open', isAsked ? Boolean(section.of.pass) : section.wasOpen);
  };

  const encode = (values) => values.map(encodeURIComponent).join(',');
  const save = () => {
    const parts = [];
    if (query.value) parts.push(`q=${encodeURIComponent(query.value)}`);
    for (const [key, values] of [['state', pressed('filterState')], ['tag', pressed('filterTag')]]) {
      if (values.length > 0) parts.push(`${key}=${encode(values)}`);
    }
    if (opened) parts.push(`open=${encodeURIComponent(opened)}`);
    try {
      history.replaceState(null, '', parts.length > 0 ? `#${parts.join('&')}` : `${location.pathname}${location.search}`);
    } catch (error) {
      // a place without a history of its own: everything but the address works
    }
  };
  const decode = (text) => {
    try {
      return decodeURIComponent(text.replace(/\+/g, ' '));
    } catch (error) {
      return '';
    }
  };

  const show = (element) => {
    element.scrollIntoView();
    // what was never drawn was guessed to be so high; now it is known
    requestAnimationFrame(() => element.scrollIntoView());
  };
  const unfoldTo = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.matches('details')) at.open = true;
    if (element.matches('article')) element.firstElementChild.open = true;
  };
  const reveal = (id, focus) => {
    const element = document.getElementById(id);
    if (!element) return;
    if (element.closest('[hidden]')) clear();
    unfoldTo(element);
    if (element.matches('article')) opened = id;
    show(element);
    if (focus) {
      const target = element.querySelector('summary') || element;
      if (target === element && !element.hasAttribute('tabindex')) element.setAttribute('tabindex', '-1');
      target.focus({ preventScroll: true });
    }
  };
  const clear = () => {
    query.value = '';
    absent = { filterState: [], filterTag: [] };
    buttons.forEach((button) => button.setAttribute('aria-pressed', 'false'));
    filter();
  };

  const restore = () => {
    const fragment = location.hash.slice(1);
    if (fragment && !fragment.includes('=')) {
      filter();
      reveal(decode(fragment), false);
      return;
    }
    const asked = new Map(fragment.split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    }));
    const list = (key) => (asked.get(key) || '').split(',').filter(Boolean).map(decode);
    query.value = decode(asked.get('q') || '');
    const parts = { fresh: ['pass', 'fail', 'legacy'] };
    const states = list('state').flatMap((state) => parts[state] || [state]), tags = list('tag');
    const has = (name) => (value) => buttons.some((button) => button.dataset[name] === value);
    const isPart = (state) => (parts[state] || [state]).some(has('filterState'));
    absent = { filterState: list('state').filter((state) => !isPart(state)), filterTag: tags.filter((tag) => !has('filterTag')(tag)) };
    for (const button of buttons) {
      const isAsked = states.includes(button.dataset.filterState) || tags.includes(button.dataset.filterTag);
      button.setAttribute('aria-pressed', String(isAsked));
    }
    filter();
    const article = document.getElementById(decode(asked.get('open') || ''));
    if (article && article.matches('article[data-scenario]')) {
      opened = article.id;
      unfoldTo(article);
      if (!article.hidden) show(article);
    }
  };

  // Where a browser keeps the clipboard from pages (a sandbox, plain http), the command is selected, ready to be copied.
  const copy = async (button) => {
    const command = button.parentElement.firstElementChild;
    button.setAttribute('aria-live', 'polite');
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'copied';
    } catch (error) {
      getSelection().selectAllChildren(command);
      button.textContent = 'selected';
    }
    setTimeout(() => { button.textContent = 'copy'; }, 2000);
  };

  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      filter();
      save();
    });
  };
  query.addEventListener('input', soon);
  form.addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    const picture = one('.zoom[open]');
    if (picture) {
      picture.open = false;
    } else if (query.value) {
      query.value = '';
      soon();
    }
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[aria-pressed]');
    if (button) {
      const isOn = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(isOn));
      if (button === unfold) {
        items.filter((item) => !item.isHidden).forEach((item) => { item.element.firstElementChild.open = isOn; });
        if (isOn) sections.filter((section) => section.passes).forEach((section) => { section.passes.open = true; });
        unfold.textContent = isOn ? 'Fold' : 'Unfold';
      } else {
        soon();
      }
      return;
    }
    if (event.target.closest('.copy')) {
      copy(event.target);
      return;
    }
    if (event.target.closest('#all')) {
      clear();
      save();
      query.focus();
      return;
    }
    const link = event.target.closest('a');
    // a link with a filter changes the fragment, and that is heard
    if (link && (!link.getAttribute('href').startsWith('#') || link.getAttribute('href').includes('='))) return;
    if (link) {
      event.preventDefault();
      reveal(link.getAttribute('href').slice(1), true);
      save();
      return;
    }
    const summary = event.target.closest('article[data-scenario] > details > summary');
    if (summary) {
      // what it was before the click
      const isOpening = !summary.parentElement.open, id = summary.closest('article').id;
      opened = isOpening ? id : opened === id ? '' : opened;
      save();
    }
  });
  window.addEventListener('hashchange', restore);

  let unfolded = [];
  window.addEventListener('beforeprint', () => {
    unfolded = all('details:not([open]):not(.zoom)').filter((details) => !details.closest('[hidden]'));
    unfolded.forEach((details) => { details.open = true; });
  });
  window.addEventListener('afterprint', () => {
    unfolded.forEach((details) => { details.open = false; });
    unfolded = [];
  });

  const now = Date.now();
  const age = (then) => {
    const minutes = Math.floor((now - then) / 60000);
    if (!(minutes >= 0)) return '';
    if (minutes < 60) return minutes < 1 ? 'now' : `${minutes}m ago`;
    if (minutes < 2880) return `${Math.floor(minutes / 60)}h ago`;
    const days = Math.floor(minutes / 1440);
    if (days < 60) return `${days}d ago`;
    return days < 730 ? `${Math.floor(days / 7)}w ago` : `${Math.floor(days / 365)}y ago`;
  };
  for (const time of all('time[datetime]')) {
    const told = age(Date.parse(time.getAttribute('datetime')));
    if (told) time.textContent += ` \u00b7 ${told}`;
  }

  document.documentElement.classList.add('scripted');
  form.hidden = items.length === 0;
  restore();
  // the first search need not wait for what can be looked up before
  let next = 0;
  const prepare = () => {
    for (const until = Date.now() + 8; next < items.length && Date.now() < until; next += 1) textOf(items[next]);
    if (next < items.length) setTimeout(prepare, 20);
  };
  setTimeout(prepare, 200);
})();
