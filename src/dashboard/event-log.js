/**
 * The events of a job, newest first: state changes of the job and its tasks, and warnings. Progress events are not shown. Of what
 * was before the end of a long log only state changes of jobs and the last warnings are shown.
 */
import { el, viewAddress } from './element.js';
import { follow, lastEvents } from './live.js';
import { earlierEvents } from './state-changes.js';
import { states, timeOfDay } from './words.js';

const KEPT = 100;
/** Earlier warnings: fewer, so that they leave lines to state changes. */
const KEPT_WARNINGS = 50;

export function eventLog() {
  const list = el('ol', { class: 'log', 'aria-label': 'Events, newest first' });
  const node = el(
    'section',
    { 'aria-labelledby': 'events' },
    el('h2', { id: 'events' }, 'Events'),
    el('div', { class: 'scroll tall', tabindex: '0', role: 'region', 'aria-labelledby': 'events' }, list),
  );
  const show = (event) => {
    const words = wordsOf(event);
    if (words === null) return;
    const job = el('a', { href: viewAddress('job', { id: event.jobId }) }, shortId(event.jobId));
    list.prepend(el('li', { class: event.kind }, timeOfDay(event.time), job, el('span', {}, words)));
    while (list.children.length > KEPT) list.lastChild.remove();
  };
  return {
    node,
    /** Shows the end of the log of `jobs` and follows it. `news` is called with each later event. */
    async follow(path, { jobs, signal, news }) {
      const before = await lastEvents(path, signal).catch((error) => {
        if (error.status === 403) list.append(el('li', {}, error.message));
        return [];
      });
      const warnings = before.length > 0 ? await lastEvents(path, signal, 'warning').catch(() => []) : [];
      [...earlierEvents(jobs, warnings.slice(-KEPT_WARNINGS), before).slice(-KEPT), ...before].forEach(show);
      const take = (event) => {
        if (event.kind !== 'end') show(event);
        news(event);
      };
      await follow(path, { after: before.at(-1)?.id ?? '0', signal, take });
    },
  };
}

/** `k1-default-FETCH-3` → `FETCH-3` */
const shortId = (id) => /[A-Z]+-\d+$/.exec(id)?.[0] ?? id;

/** Null for events that are not shown. */
function wordsOf({ kind, data }) {
  if (kind === 'warning') return `warning: ${data.message ?? JSON.stringify(data)}`;
  if (kind === 'state' && data.state !== 'IDLE') return withReason(states[data.state] ?? data.state, data.msg);
  if (kind === 'task' && data.state !== 'DONE' && (data.reason || data.msg))
    return withReason(`partition ${data.part} ${data.state.toLowerCase()}`, data.reason ?? data.msg);
  return null;
}

const withReason = (words, reason) => (reason && reason !== 'OK' ? `${words}: ${reason.replace(/^OK: /, '')}` : words);
