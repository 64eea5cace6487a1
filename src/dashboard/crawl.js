/**
 * One crawl, live. Its event stream only signals a change; the numbers are then read from the crawl itself, at most once a
 * second, so they are correct even if events were missed.
 */
import { may, path, read } from './api.js';
import { doingOf } from './crawls.js';
import { cureOf } from './cure.js';
import { el, foreign, keyedChildren, setText, viewAddress } from './element.js';
import { eventLog } from './event-log.js';
import { Speed, visitCounts, roundCount, roundTitle, roundsOf } from './counts.js';
import { jobActions } from './job-actions.js';
import { poll } from './live.js';
import { waitingCount } from './waiting.js';
import { badge, decimal, duration, hasEnded, kindOfState, number, stateOf } from './words.js';

const EVERY_MS = 1_000;
/** Interval of reads without events. */
const QUIET_MS = 5_000;
const SHOWN_ROUNDS = 50;

export async function showCrawl({ id = '' }, { main, signal, announce, warn }) {
  const first = await crawlNamed(id, signal);
  const view = crawlView();
  const news = { fresh: true, lookedAt: 0 };
  const actions = jobActions(first, { announce, signal, changed: () => (news.fresh = true) });
  const cure = cureOf(first, { announce, signal });
  const state = el('span');
  const log = eventLog();
  main.append(
    el(
      'div',
      { class: 'title', 'data-crawl': first.crawlId, 'data-conf': first.confId },
      el('h1', {}, foreign(id)),
      state,
      actions.node,
    ),
    cure.node,
    view.node,
    el('p', { class: 'links' }, linksOf(first)),
    el(
      'div',
      { class: 'two even' },
      el('section', { 'aria-labelledby': 'rounds' }, el('h2', { id: 'rounds' }, 'Rounds'), view.rounds),
      log.node,
    ),
    argumentsOf(first),
  );
  let [before, shown] = ['', first];
  const show = (crawl, waiting) => {
    shown = crawl;
    const word = stateOf(crawl);
    if (word !== before) {
      state.replaceChildren(badge(word, kindOfState(word)));
      if (before !== '')
        announce(`Crawl ${id} is ${word}${hasEnded(crawl) && doingOf(crawl) ? `: ${doingOf(crawl)}` : ''}.`);
      before = word;
    }
    actions.update(crawl);
    cure.update(crawl);
    view.update(crawl, waiting);
  };
  // Known values are shown at once: the count of waiting pages may take some time.
  show(first, null);
  const waiting = waitingCount(first.crawlId, signal, (count) => show(shown, count));
  show(first, await waiting(true));
  const jobs = [first, ...first.children];
  void log.follow(path`v1/crawls/${id}/events`, { jobs, signal, news: () => (news.fresh = true) });
  const look = async () => {
    if (!news.fresh && performance.now() - news.lookedAt < QUIET_MS) {
      view.tick();
      return 'quiet';
    }
    Object.assign(news, { fresh: false, lookedAt: performance.now() });
    const crawl = await read(path`v1/crawls/${id}`, signal);
    show(crawl, await waiting(hasEnded(crawl)));
    // An ended crawl changes no more.
    return !hasEnded(crawl);
  };
  if (!hasEnded(first)) void poll(look, { ms: EVERY_MS, signal, tell: warn });
}

function crawlNamed(id, signal) {
  if (id === '') throw new Error('The address of this view names no crawl.');
  return read(path`v1/crawls/${id}`, signal);
}

function linksOf({ crawlId, confId }) {
  if (!may('read')) return [];
  return [
    el('a', { href: viewAddress('pages', { crawlId }) }, 'Pages of this crawl'),
    el('a', { href: viewAddress('search', { crawlId }) }, 'Search this crawl'),
    el('a', { href: viewAddress('pages', { crawlId, status: 'db_gone,db_parse_failed' }) }, 'Pages that failed'),
    el('a', { href: viewAddress('why', { crawlId, confId }) }, 'Why was a URL (not) fetched?'),
  ];
}

function argumentsOf({ args, confId, crawlId }) {
  const shown = { crawlId, confId, ...args };
  return el('details', {}, el('summary', {}, 'Arguments'), el('pre', {}, JSON.stringify(shown, null, 2)));
}

/** Numbers, bar and rounds of a crawl. */
function crawlView() {
  const names = ['Fetched', 'Cut', 'Failed', 'Waiting', 'Pages/s', 'Redirects', 'Robots denied', 'Rounds', 'Time'];
  const values = Object.fromEntries(names.map((name) => [name, el('dd', {}, '0')]));
  const labels = Object.fromEntries(names.map((name) => [name, el('dt', {}, name)]));
  const doing = el('p', { class: 'doing' });
  const bar = el('progress', { 'aria-label': 'Pages visited, of those known', max: 1 });
  const rounds = el('ol', { class: 'rounds', reversed: true });
  const keep = keyedChildren(rounds, roundItem);
  const speed = new Speed();
  const node = el(
    'section',
    { 'aria-label': 'Progress' },
    doing,
    bar,
    el(
      'dl',
      { class: 'figures' },
      names.map((name) => el('div', {}, labels[name], values[name])),
    ),
  );
  let startedAt = null;
  /** The elapsed time changes without events, too. */
  const tick = () => setText(values.Time, duration(startedAt === null ? 0 : Date.now() - startedAt));
  const update = (crawl, waiting) => {
    startedAt = crawl.startedAt && Date.parse(crawl.startedAt);
    const counts = visitCounts(crawl.counters);
    const visited = counts.fetched + counts.failed + counts.redirected + counts.denied;
    speed.add(performance.now(), counts.fetched);
    const end = crawl.endedAt ? Date.parse(crawl.endedAt) : Date.now();
    const spent = end - (startedAt ?? end);
    const pace = hasEnded(crawl) ? (counts.fetched * 1_000) / Math.max(1, spent) : speed.perSecond;
    const shown = {
      Fetched: number(counts.fetched),
      Cut: number(counts.cut ?? 0),
      Failed: number(counts.failed),
      Waiting: waiting === null ? '–' : number(waiting),
      'Pages/s': pace === null ? '–' : decimal(pace),
      Redirects: number(counts.redirected),
      'Robots denied': number(counts.denied),
      Rounds: crawl.result?.rounds ?? roundCount(crawl.children),
      Time: duration(spent),
    };
    for (const name of names) setText(values[name], shown[name]);
    // After its end nothing waits for this crawl: what is left is not due yet, or beyond its limits.
    setText(labels.Waiting, hasEnded(crawl) ? 'Not fetched' : 'Waiting');
    // Shown only when there are any: few crawls have truncated pages.
    values.Cut.parentElement.hidden = !counts.cut;
    setText(doing, doingOf(crawl));
    bar.value = visited + waiting === 0 ? 0 : visited / (visited + waiting);
    bar.hidden = hasEnded(crawl) || waiting === null;
    keep(roundsOf(crawl.children).slice(0, SHOWN_ROUNDS), ({ round }) => round);
  };
  return { node, rounds, update, tick };
}

/** A round: its jobs in their order, each with its state. */
function roundItem(first) {
  const title = el('span', { class: 'round-title' });
  const steps = el('ul', { class: 'steps' });
  const keep = keyedChildren(steps, (job) => {
    const state = el('span');
    const item = el('li', {}, el('a', { href: viewAddress('job', { id: job.id }) }, job.type), state);
    const update = (now) => {
      const word = stateOf(now);
      item.className = kindOfState(word);
      setText(state, word === 'finished' ? '' : word);
    };
    return { node: item, update };
  });
  const update = (round) => {
    setText(title, roundTitle(round));
    keep(round.jobs, ({ id }) => id);
  };
  update(first);
  return { node: el('li', {}, title, steps), update };
}
