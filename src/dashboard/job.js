/**
 * One job, live: a step of a crawl, or a single job. It is read at most once a second after events, and every five seconds
 * without any.
 */
import { may, path, read } from './api.js';
import { cureOf } from './cure.js';
import { el, factList, foreign, keyedChildren, viewAddress } from './element.js';
import { eventLog } from './event-log.js';
import { jobActions } from './job-actions.js';
import { poll } from './live.js';
import { badge, duration, hasEnded, kindOfState, number, stateOf, time } from './words.js';

const EVERY_MS = 1_000;
const QUIET_MS = 5_000;

export async function showJob({ id = '' }, { main, signal, announce, warn }) {
  if (id === '') throw new Error('The address of this view names no job.');
  const first = await read(path`job/${id}`, signal);
  const news = { fresh: true, lookedAt: 0 };
  const actions = jobActions(first, { announce, signal, changed: () => (news.fresh = true) });
  const cure = cureOf(first, { announce, signal });
  const word = el('span');
  const known = factList();
  const counters = counterGroups();
  const log = eventLog();
  main.append(
    el(
      'div',
      { class: 'title', 'data-crawl': first.crawlId, 'data-conf': first.confId },
      el('h1', {}, foreign(id)),
      word,
      actions.node,
    ),
    cure.node,
    known.node,
    counters.node,
    log.node,
  );
  let before = '';
  const show = (job) => {
    const text = stateOf(job);
    word.replaceChildren(badge(text, kindOfState(text)));
    if (before !== '' && before !== text) announce(`Job ${id} is ${text}.`);
    before = text;
    known.update(factsOf(job));
    counters.update(job.counters);
    actions.update(job);
    cure.update(job);
  };
  show(first);
  void log.follow(path`v1/jobs/${id}/events`, { jobs: [first], signal, news: () => (news.fresh = true) });
  const look = async () => {
    if (!news.fresh && performance.now() - news.lookedAt < QUIET_MS) return 'quiet';
    Object.assign(news, { fresh: false, lookedAt: performance.now() });
    const job = await read(path`job/${id}`, signal);
    show(job);
    return !hasEnded(job);
  };
  if (!hasEnded(first)) void poll(look, { ms: EVERY_MS, signal, tell: warn });
}

const factsOf = (job) => [
  ['Message', job.msg],
  ['Crawl', job.parent && el('a', { href: viewAddress('crawl', { id: job.parent }) }, job.parent)],
  [
    'Pages',
    may('read') && el('a', { href: viewAddress('pages', { crawlId: job.crawlId }) }, `of crawl “${job.crawlId}”`),
  ],
  ['Configuration', job.confId],
  ['Run of GENERATE', job.round ? `${number(job.round)}, those that found nothing due included` : null],
  ['Created', time(job.createdAt)],
  ['Started', time(job.startedAt)],
  ['Ended', time(job.endedAt)],
  ['Took', job.endedAt && job.startedAt && duration(Date.parse(job.endedAt) - Date.parse(job.startedAt))],
  ['Arguments', el('code', {}, JSON.stringify(job.args))],
];

function counterGroups() {
  const none = el('p', { class: 'hint' }, 'Nothing is counted yet.');
  const groups = el('section', { 'aria-label': 'Counters', class: 'groups' });
  const keep = keyedChildren(groups, ([name]) => {
    const list = factList();
    const update = ([, counts]) => list.update(Object.entries(counts).map(([term, count]) => [term, number(count)]));
    return { node: el('div', {}, el('h2', {}, name), list.node), update };
  });
  const update = (counters) => {
    const entries = Object.entries(counters ?? {});
    none.hidden = entries.length > 0;
    groups.hidden = entries.length === 0;
    keep(entries, ([name]) => name);
  };
  return { node: el('div', {}, none, groups), update };
}
