/** The answer to "why was this URL (not) fetched?": first the verdict, then the reasons, then the normalizers and filters. */
import { path, post, query, read } from './api.js';
import { el, foreign, viewAddress } from './element.js';
import { ruleWords, statusBadge, time } from './words.js';

/** Requests an inspection. With `crawlId` null no crawl is named. */
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

/** The configuration with which a job was created; '' if the job is unknown or was deleted. */
export async function confOfJob(id, signal) {
  if (!id) return '';
  const job = await read(path`job/${id}`, signal).catch((error) => {
    if (error.status === 404) return {};
    throw notRead(error);
  });
  signal.throwIfAborted();
  return job.confId ?? '';
}

/** The configuration of the newest job of a crawl; '' if it has none. */
export async function confOfCrawl(crawlId, signal) {
  const [last] = await read(`job${query({ crawlId, limit: 1 })}`, signal).catch((error) => {
    throw notRead(error);
  });
  signal.throwIfAborted();
  return last?.confId ?? '';
}

/** Without the configuration there is no verdict: that of another one may be wrong. */
const notRead = (error) =>
  error.name === 'AbortError'
    ? error
    : new Error(`The configuration to judge by could not be read: ${error.message}`, { cause: error });

/** The answer as elements. `brief` omits what the view of the page already shows. */
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

/** A reason: its sentence, then its details, with links. */
function reasonItem({ code, blocks, message, line, rule, until, url, property }, crawlId) {
  return el(
    'li',
    { class: blocks ? 'bad' : 'aside' },
    el('p', {}, foreign(message)),
    line && !message.includes(line.text) ? el('pre', {}, `robots.txt line ${line.number}: ${line.text}`) : null,
    rule && !message.includes(rule.text) ? el('pre', {}, ruleWords(rule)) : null,
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
      ? 'The verdict of robots.txt is not known'
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

/** The steps through normalizers and filters. Plugins that did not change the URL are listed in one line at the end. */
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
      rules.map((rule) => el('pre', {}, ruleWords(rule))),
    ),
  );
  return el(
    'div',
    {},
    el('h3', {}, 'Normalizers and filters'),
    el('ol', { class: 'reasons' }, items),
    silent.length > 0 ? el('p', { class: 'hint' }, `Not changed by ${[...new Set(silent)].join(', ')}.`) : null,
  );
}
