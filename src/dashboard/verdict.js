/** The answer to "why was this URL (not) fetched?": the verdict first, then the reasons, then the way there. */
import { path, post, query, read } from './api.js';
import { el, foreign, viewAddress } from './element.js';
import { statusBadge, time } from './words.js';

/** Asks the server. `crawlId` null asks of no crawl at all. */
export function inspect({ url, crawlId, confId, scope, from, robots }, signal) {
  const request = {
    url,
    crawlId: crawlId ?? undefined,
    confId: confId || undefined,
    scope: scope || undefined,
    from: from || undefined,
    robots: Boolean(robots),
  };
  return post('v1/inspect/url', request, { signal });
}

/** The configuration that a job was made with; '' when the job is not known (any more). */
export async function confOfJob(id, signal) {
  if (!id) return '';
  const job = await read(path`job/${id}`, signal).catch(() => ({}));
  signal.throwIfAborted();
  return job.confId ?? '';
}

/** The configuration that a crawl was worked on with last; '' when nobody has. */
export async function confOfCrawl(crawlId, signal) {
  const [last] = await read(`job${query({ crawlId, limit: 1 })}`, signal).catch(() => []);
  signal.throwIfAborted();
  return last?.confId ?? '';
}

/** The answer as elements. `brief` leaves out what a page's own view shows already. */
export function answerView(answer, { crawlId, confId, brief = false }) {
  const { fetchable, robots, page, steps, given, normalized } = answer;
  const blocking = fetchable.reasons.filter(({ blocks }) => blocks);
  const notes = fetchable.reasons.filter(({ blocks }) => !blocks);
  const node = el('div', { class: 'answer' });
  node.append(
    el(
      'p',
      { class: `verdict ${fetchable.now ? 'good' : 'bad'}` },
      fetchable.now ? 'It would be fetched in the next round.' : 'It is not fetched now.',
    ),
    normalized && normalized !== given ? el('p', {}, 'It is stored as ', el('code', {}, foreign(normalized)), '.') : '',
    blocking.length > 0 ? reasonList(blocking, crawlId) : '',
    notes.length > 0 ? el('h3', {}, 'Also') : '',
    notes.length > 0 ? reasonList(notes, crawlId) : '',
    robots ? robotsView(robots) : '',
    brief ? '' : pageView(page, crawlId),
    stepsView(steps),
    el('p', { class: 'hint' }, 'Judged by configuration ', el('code', {}, confId || 'default'), '.'),
  );
  return node;
}

function reasonList(reasons, crawlId) {
  return el(
    'ul',
    { class: 'reasons' },
    reasons.map((reason) => reasonItem(reason, crawlId)),
  );
}

/** A reason: its sentence, then what it names, for those who want to go there. */
function reasonItem({ code, blocks, message, line, rule, until, url, property }, crawlId) {
  return el(
    'li',
    { class: blocks ? 'bad' : 'aside' },
    el('p', {}, foreign(message)),
    line && !message.includes(line.text) ? el('pre', {}, `robots.txt line ${line.number}: ${line.text}`) : null,
    rule && !message.includes(rule.text) ? el('pre', {}, `rule ${rule.number}: ${rule.text}`) : null,
    el(
      'p',
      { class: 'hint' },
      el('code', {}, code),
      property ? [' property ', el('code', {}, property)] : null,
      until ? [' until ', time(until)] : null,
      url ? [' see ', el('a', { href: viewAddress('page', { crawlId, url }) }, foreign(url))] : null,
    ),
  );
}

function robotsView({ state, allowed, line, why, crawlDelay, fetched }) {
  const verdict =
    allowed === null
      ? 'It is not known what robots.txt says'
      : allowed
        ? 'robots.txt allows it'
        : 'robots.txt forbids it';
  const by = line ? ` by line ${line.number}` : why ? `: ${why}` : '';
  const from =
    state === 'not-asked' ? '' : fetched ? ' It was read just now.' : ' This is from the cache of the crawl.';
  return el(
    'div',
    {},
    el('h3', {}, 'robots.txt'),
    el('p', {}, `${verdict}${by}.${from}${crawlDelay === null ? '' : ` Crawl-delay: ${crawlDelay} s.`}`),
    line ? el('pre', {}, line.text) : null,
  );
}

function pageView(page, crawlId) {
  if (!page) return el('p', { class: 'hint' }, 'The crawl has no page of this URL.');
  return el(
    'p',
    {},
    statusBadge(page.status),
    ' ',
    el('a', { href: viewAddress('page', { crawlId, url: page.url }) }, 'Open its record'),
  );
}

/** The way through normalizers and filters. Who left the URL as it was is named in one line at the end. */
function stepsView(steps) {
  if (steps.length === 0) return '';
  const telling = steps.filter(({ before, after, rules }) => after !== before || rules.length > 0);
  const silent = steps.filter((step) => !telling.includes(step)).map(({ plugin }) => plugin);
  const items = telling.map(({ plugin, kind, before, after, rules }) =>
    el(
      'li',
      { class: after === null ? 'bad' : 'good' },
      el(
        'p',
        {},
        `${kind === 'filter' ? 'Filter' : 'Normalizer'} `,
        el('code', {}, plugin),
        after === null
          ? ' drops it.'
          : after === before
            ? ' accepts it.'
            : [' makes it ', el('code', {}, foreign(after)), '.'],
      ),
      rules.map(({ number, text }) => el('pre', {}, `rule ${number}: ${text}`)),
    ),
  );
  return el(
    'div',
    {},
    el('h3', {}, 'Its way through normalizers and filters'),
    el('ol', { class: 'reasons' }, items),
    silent.length > 0 ? el('p', { class: 'hint' }, `Left as it was by ${[...new Set(silent)].join(', ')}.`) : null,
  );
}
