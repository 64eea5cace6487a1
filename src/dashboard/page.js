/** One page: its row, its visits, the links to and from it, and why it is (not) fetched. */
import { path, query, read } from './api.js';
import { el, facts, foreign, outward, table, viewAddress } from './element.js';
import { answerView, confOfJob, inspect } from './verdict.js';
import { brief, bytes, interval, number, pageBadges, statusBadge, time } from './words.js';

const LINKS_AT_FIRST = 50;

export async function showPage({ url = '', crawlId = '', confId = '' }, { main, signal }) {
  if (url === '') throw new Error('The address of this view names no URL.');
  const page = await read(`${path`v1/pages/${url}`}${query({ crawlId, confId })}`, signal);
  const why = el('div', { 'aria-live': 'polite' }, el('p', { class: 'hint' }, 'Asking …'));
  const showFault = (error) => {
    if (error.name !== 'AbortError') why.replaceChildren(el('p', { class: 'fault' }, error.message));
  };
  // Undefined: it could not be read.
  const conf = confId || (await confOfJob(page.history[0]?.job, signal).catch(showFault));
  signal.throwIfAborted();
  const ask = (robots) =>
    inspect({ url: page.url, crawlId, confId: conf, robots }, signal)
      .then((answer) =>
        why.replaceChildren(
          answerView(answer, { crawlId, confId: conf, brief: true }),
          robots ? '' : robotsButton(ask),
        ),
      )
      .catch(showFault);
  main.append(
    el(
      'div',
      { class: 'title', 'data-crawl': crawlId, 'data-conf': conf ?? '' },
      el('h1', {}, foreign(brief(page.title || page.url))),
      pageBadges(page),
    ),
    el('p', { class: 'url' }, outward(page.url)),
    el(
      'div',
      { class: 'two even' },
      rowSection(page, crawlId),
      el(
        'section',
        { class: 'card', 'aria-labelledby': 'why' },
        el('h2', { id: 'why' }, 'Why it is (not) fetched now'),
        why,
      ),
    ),
    visits(page),
    el('div', { class: 'two even' }, inlinks(page, crawlId), outlinks(page, crawlId)),
    ...allFields(page),
  );
  if (conf !== undefined) void ask(false);
}

const robotsButton = (ask) =>
  el('button', { type: 'button', class: 'plain', onclick: () => void ask(true) }, 'Ask robots.txt too');

const toPage = (url, crawlId) => el('a', { href: viewAddress('page', { crawlId, url }) }, foreign(url));

/** A protocol or parse status as text: `ROBOTS_DENIED: robots.txt line 2: …`. */
const outcome = (status) => status && foreign([status.name, ...status.args].join(': '));

function rowSection(page, crawlId) {
  const entries = [
    ['Last visit', outcome(page.protocolStatus)],
    ['HTTP status', page.httpStatus],
    ['Visited', time(page.history[0]?.time)],
    ['Due', time(page.fetchTime)],
    ['Visited every', interval(page.fetchInterval)],
    ['Failures in a row', page.retries || null],
    ['Redirects to', page.redirectUrl && toPage(page.redirectUrl, crawlId)],
    ['Content type', page.contentType && foreign(page.contentType)],
    ['Content', page.content && contentWords(page, crawlId)],
    ['Parsed', outcome(page.parseStatus)],
    ['Score', Number(page.score.toPrecision(4))],
    ['Links from a seed', page.distance],
    ['Found as', page.sourceKind],
    ['Changed', time(page.modifiedTime)],
    ['Batch', page.batchId],
    [
      'Marks',
      Object.entries(page.marks)
        .filter(([, mark]) => mark !== null)
        .map(([name, mark]) => `${name} ${mark}`)
        .join(', '),
    ],
  ];
  return el(
    'section',
    { class: 'card', 'aria-labelledby': 'row' },
    el('h2', { id: 'row' }, 'What is known'),
    facts(entries),
  );
}

function contentWords({ content, url }, crawlId) {
  const { length, textLength, charset, truncated } = content;
  const words = [
    bytes(length),
    charset,
    textLength === null ? null : `${number(textLength)} characters of text`,
    truncated && `cut: ${truncated}`,
  ];
  const part = (name) => `${path`v1/pages/${url}`}/${name}${query({ crawlId })}`;
  return [
    foreign(words.filter(Boolean).join(', ')),
    ' ',
    el('a', { href: part('text'), target: '_blank', rel: 'noopener', 'data-file': true }, 'text'),
    ' ',
    el('a', { href: part('content'), download: '', 'data-file': true }, 'bytes'),
  ];
}

function visits({ history }) {
  if (history.length === 0)
    return el('section', {}, el('h2', {}, 'Visits'), el('p', { class: 'hint' }, 'It was never visited.'));
  const head = ['When', 'Status', 'Protocol status', ['HTTP', 'number'], ['ms', 'number'], ['Bytes', 'number'], 'Job'];
  const job = (id) => (id ? el('a', { href: viewAddress('job', { id }) }, id) : '–');
  const rows = history.map((visit) => [
    time(visit.time),
    statusBadge(visit.status),
    visit.protocol,
    visit.httpStatus ?? '–',
    visit.ms ?? '–',
    visit.bytes === null ? '–' : number(visit.bytes),
    job(visit.job),
  ]);
  return el('section', {}, el('h2', {}, 'Visits'), table('Visits, newest first', head, rows));
}

function inlinks({ inlinks: links }, crawlId) {
  const rows = links.map(({ url, anchor }) =>
    el('li', {}, toPage(url, crawlId), anchor ? el('span', { class: 'hint' }, ' “', foreign(anchor), '”') : null),
  );
  return linkSection('Links to it', rows, {
    count: links.length,
    id: 'inlinks',
    none: 'None is known. INVERTLINKS finds them; those of its own host only if linkdb.ignore.internal.links is false, or links to the page are broken.',
  });
}

function outlinks({ outlinks: links, outlinkCount }, crawlId) {
  const rows = links.map(({ url, anchor }) =>
    el('li', {}, toPage(url, crawlId), anchor ? el('span', { class: 'hint' }, ' “', foreign(anchor), '”') : null),
  );
  return linkSection('Links of it', rows, { count: outlinkCount, id: 'outlinks', none: 'None is known.' });
}

/** A list of links: the first ones are shown at once, the others on demand. */
function linkSection(title, rows, { count, id, none }) {
  const list = el('ul', { class: 'url-list' }, rows.slice(0, LINKS_AT_FIRST));
  const rest = rows.slice(LINKS_AT_FIRST);
  const more = el('button', { type: 'button', class: 'plain' }, `Show ${number(rest.length)} more`);
  more.addEventListener('click', () => {
    list.append(...rest);
    more.remove();
    rest[0].querySelector('a').focus();
  });
  const empty = rows.length === 0 ? el('p', { class: 'hint' }, none) : null;
  return el(
    'section',
    { 'aria-labelledby': id },
    el('h2', { id }, `${title} (${number(count)})`),
    empty,
    list,
    rest.length > 0 ? more : null,
  );
}

/** All fields as the API returns them. */
function allFields({ history, inlinks: to, outlinks: from, headers, ...row }) {
  return [
    el('details', {}, el('summary', {}, 'Response headers'), el('pre', {}, JSON.stringify(headers, null, 2))),
    el(
      'details',
      {},
      el('summary', {}, 'All fields'),
      el(
        'pre',
        {},
        JSON.stringify({ ...row, visits: history.length, inlinks: to.length, outlinks: from.length }, null, 2),
      ),
    ),
  ];
}
