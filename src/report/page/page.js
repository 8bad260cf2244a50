'use strict';
(() => {
  // The page is complete without this. It filters, keeps what one looks at in the fragment, and tells ages. It sets texts,
  // `hidden` and attributes; it never makes markup.
  const one = (selector) => document.querySelector(selector);
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const form = one('[role=search]'), query = one('#q'), shown = one('#shown'), unfold = one('#unfold');
  const items = all('article[data-scenario]').map((element) => ({
    element,
    state: element.dataset.state,
    verdict: element.dataset.verdict,
    tags: null,
    text: null,
    isHidden: false,
  }));
  const sections = all('section[data-node]').reverse();
  const buttons = all('button[data-filter-state], button[data-filter-tag]');
  let opened = '';

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
    .map((button) => button.dataset[name]);

  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = pressed('filterState'), tags = pressed('filterTag');
    let count = 0;
    for (const item of items) {
      const fits = (states.length === 0 || states.includes(item.state) || (item.verdict === 'fail' && states.includes('fail')))
        && (tags.length === 0 || tagsOf(item).some((tag) => tags.includes(tag)))
        && words.every((word) => textOf(item).includes(word));
      if (item.isHidden === fits) {
        item.isHidden = !fits;
        item.element.hidden = !fits;
      }
      count += fits ? 1 : 0;
    }
    // those inside of others come first: a parent with a shown child stays
    for (const section of sections) {
      let child = section.firstElementChild;
      while (child && (child.hidden || !(child.matches('article') || child.matches('section')))) child = child.nextElementSibling;
      const isEmpty = child === null;
      if (section.hidden !== isEmpty) section.hidden = isEmpty;
    }
    shown.textContent = `${count} of ${items.length}`;
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
  const reveal = (id, focus) => {
    const element = document.getElementById(id);
    if (!element) return;
    if (element.closest('[hidden]')) clear();
    for (let at = element; at; at = at.parentElement) if (at.matches('details')) at.open = true;
    if (element.matches('article')) {
      element.firstElementChild.open = true;
      opened = id;
    }
    show(element);
    if (focus) {
      const target = element.querySelector('summary') || element;
      if (target === element && !element.hasAttribute('tabindex')) element.setAttribute('tabindex', '-1');
      target.focus({ preventScroll: true });
    }
  };
  const clear = () => {
    query.value = '';
    buttons.forEach((button) => button.setAttribute('aria-pressed', 'false'));
    filter();
  };

  const restore = () => {
    const fragment = location.hash.slice(1);
    if (fragment && !fragment.includes('=')) {
      reveal(decode(fragment), false);
      return;
    }
    const asked = new Map(fragment.split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    }));
    const list = (key) => (asked.get(key) || '').split(',').filter(Boolean).map(decode);
    query.value = decode(asked.get('q') || '');
    const states = list('state'), tags = list('tag');
    for (const button of buttons) {
      const isAsked = states.includes(button.dataset.filterState) || tags.includes(button.dataset.filterTag);
      button.setAttribute('aria-pressed', String(isAsked));
    }
    filter();
    const article = document.getElementById(decode(asked.get('open') || ''));
    if (article && article.matches('article[data-scenario]')) {
      opened = article.id;
      article.firstElementChild.open = true;
      if (!article.hidden) show(article);
    }
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
    if (event.key === 'Escape' && query.value) {
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
        unfold.textContent = isOn ? 'Fold' : 'Unfold';
      } else {
        soon();
      }
      return;
    }
    const link = event.target.closest('a[href^="#"]');
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
    unfolded = all('details:not([open])').filter((details) => !details.closest('[hidden]'));
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
