/** The start view: current crawls and jobs, and the form that starts a crawl. */
import { may, path, read } from './api.js';
import { crawlForm } from './crawl-form.js';
import { againButton } from './cure.js';
import { el, foreign, keyedChildren, setText, viewAddress } from './element.js';
import { Speed, currentChild, roundWords, visitCounts } from './counts.js';
import { jobActions } from './job-actions.js';
import { poll } from './live.js';
import { needsBetterKey } from './sign-in.js';
import { singleJobs } from './single-jobs.js';
import { waitingCount } from './waiting.js';
import { badge, decimal, hasEnded, kindOfState, number, stateOf, time } from './words.js';

const EVERY_MS = 2_000;
/** Running crawls whose counters are read at each poll; others show theirs only in their own view. */
const FOLLOWED = 4;
const SHOWN_AT_FIRST = 20;
const SHOWN_AT_MOST = 1_000;

export async function showCrawls(parameters, { main, signal, announce, warn }) {
  const look = { limit: SHOWN_AT_FIRST, waiting: new Map(), singles: singleJobs(signal) };
  const refresh = () => lookAtAll(look, lists, signal);
  const make = (job) => jobCard(job, { announce, signal, changed: () => void refresh().catch(() => undefined) });
  const crawls = el('ul', { class: 'cards', 'aria-label': 'Crawls' });
  const jobs = el('ul', { class: 'cards', 'aria-label': 'Jobs' });
  const nothing = el('p', { class: 'hint' }, 'Loading …');
  const more = el('button', { type: 'button', class: 'plain', hidden: true }, 'Show older ones');
  const others = el(
    'section',
    { hidden: true, 'aria-labelledby': 'jobs-title' },
    el('h2', { id: 'jobs-title' }, 'Single jobs'),
    jobs,
  );
  const rest = el(
    'p',
    { class: 'hint', hidden: true },
    `These are the newest ${number(SHOWN_AT_MOST)}. GET /v1/crawls lists all.`,
  );
  const lists = { nothing, more, rest, others, crawls: keyedChildren(crawls, make), jobs: keyedChildren(jobs, make) };
  more.addEventListener('click', () => {
    look.limit = SHOWN_AT_MOST;
    const showOlder = async () => {
      await refresh();
      // The button is gone.
      crawls.children[SHOWN_AT_FIRST]?.querySelector('a').focus();
    };
    void showOlder().catch(() => undefined);
  });
  main.append(
    el('h1', {}, 'Crawls'),
    el(
      'div',
      { class: 'two' },
      el('div', {}, el('section', { 'aria-label': 'All crawls' }, nothing, crawls, more, rest), others),
      may('run') ? crawlForm({ announce, signal, parameters }) : noCrawlForm(),
    ),
  );
  void poll(refresh, { ms: EVERY_MS, signal, tell: warn });
}

const noCrawlForm = () =>
  el(
    'section',
    { class: 'card', 'aria-labelledby': 'new-title' },
    el('h2', { id: 'new-title' }, 'Start a crawl'),
    needsBetterKey('Starting a crawl', 'run'),
  );

async function lookAtAll(look, { nothing, more, rest, others, crawls, jobs }, signal) {
  const [{ crawls: newest }, single] = await Promise.all([
    read(`v1/crawls?limit=${look.limit}`, signal),
    look.singles(),
  ]);
  const open = newest.filter((crawl) => !hasEnded(crawl)).slice(0, FOLLOWED);
  const live = new Map(await Promise.all(open.map(async (crawl) => [crawl.id, await liveCrawl(crawl, look, signal)])));
  setText(nothing, newest.length === 0 ? 'No crawl yet: the form starts one.' : '');
  nothing.hidden = newest.length > 0;
  more.hidden = newest.length < look.limit || look.limit > SHOWN_AT_FIRST;
  rest.hidden = newest.length < SHOWN_AT_MOST;
  others.hidden = single.length === 0;
  crawls(
    newest.map((crawl) => live.get(crawl.id) ?? crawl),
    ({ id }) => id,
  );
  jobs(single, ({ id }) => id);
}

/** A crawl with its counters so far, and the number of waiting pages. */
async function liveCrawl({ id, crawlId }, { waiting }, signal) {
  if (!waiting.has(id)) waiting.set(id, waitingCount(crawlId, signal));
  const [crawl, count] = await Promise.all([read(path`v1/crawls/${id}`, signal), waiting.get(id)()]);
  return { ...crawl, waiting: count };
}

/** One crawl or job in a list. */
function jobCard(first, services) {
  const state = el('span');
  const doing = el('p', { class: 'doing' });
  const counts = el('p', { class: 'counts' });
  const when = el('span', { class: 'hint' });
  const cure = el('div', { class: 'cure' });
  let cured = '';
  const actions = jobActions(first, services);
  const view = first.type === 'CRAWL' ? 'crawl' : 'job';
  const node = el(
    'li',
    { class: 'card job' },
    el('div', { class: 'job-head' }, el('a', { href: viewAddress(view, { id: first.id }) }, first.id), state, when),
    doing,
    counts,
    cure,
    actions.node,
  );
  const speed = new Speed();
  const update = (job) => {
    const word = stateOf(job);
    if (state.textContent !== word) state.replaceChildren(badge(word, kindOfState(word)));
    setText(doing, doingOf(job));
    setText(counts, countsLine(job, speed));
    // A finished crawl shows only in its own view why it fetched nothing.
    const code = job.state === 'FINISHED' ? '' : (job.cure?.code ?? '');
    if (code !== cured) cure.replaceChildren(el('p', {}, foreign(job.cure.message)), againButton(job, services) ?? '');
    cured = code;
    const at = job.endedAt ?? job.startedAt ?? job.createdAt;
    const verb = job.endedAt ? 'ended ' : job.startedAt ? 'started ' : 'created ';
    if (when.dataset.at !== String(at)) when.replaceChildren(verb, time(at));
    when.dataset.at = String(at);
    actions.update(job);
  };
  update(first);
  return { node, update };
}

/** What a job is doing, on one line: `round 3, FETCH`, or how it ended. */
export function doingOf(job) {
  const current = currentChild(job.children);
  const words = ({ msg }) => msg.replace(/^OK(?:: |$)/, '');
  if (hasEnded(job) || !current) return words(job);
  return `${roundWords(job.children)}${words(current) && `: ${words(current)}`}`;
}

/** `8 fetched · 2 failed · 14 waiting · 3.5 pages/s` */
function countsLine(job, speed) {
  const counters = job.counters ?? job.result?.counters;
  if (!counters?.FetcherStatus) return '';
  const { fetched, failed, redirected, denied, cut } = visitCounts(counters);
  const figures = [`${number(fetched)} fetched${cut ? ` (${number(cut)} cut)` : ''}`, `${number(failed)} failed`];
  if (redirected) figures.push(`${number(redirected)} ${redirected === 1 ? 'redirect' : 'redirects'}`);
  if (denied) figures.push(`${number(denied)} denied by robots.txt`);
  if (hasEnded(job)) return figures.join(' · ');
  speed.add(performance.now(), fetched);
  if (typeof job.waiting === 'number') figures.push(`${number(job.waiting)} waiting`);
  if (speed.perSecond !== null) figures.push(`${decimal(speed.perSecond)} pages/s`);
  return figures.join(' · ');
}
