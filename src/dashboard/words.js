/** How the dashboard writes states, statuses, times and numbers. */
import { el } from './element.js';

export const states = {
  IDLE: 'waiting',
  RUNNING: 'running',
  STOPPING: 'stopping',
  KILLING: 'aborting',
  FINISHED: 'finished',
  FAILED: 'failed',
  KILLED: 'aborted',
};

const finals = ['FINISHED', 'FAILED', 'KILLED'];
export const hasEnded = ({ state }) => finals.includes(state);

/** The state of a job as one word. */
export const stateOf = (job) => (job.paused && !hasEnded(job) ? 'paused' : (states[job.state] ?? job.state));

/** Statuses of pages, with the kind that determines their colour. */
export const statuses = {
  db_unfetched: ['not fetched yet', 'waiting'],
  db_fetched: ['fetched', 'good'],
  db_notmodified: ['not modified', 'good'],
  db_redir_temp: ['redirect', 'aside'],
  db_redir_perm: ['moved', 'aside'],
  db_duplicate: ['duplicate', 'aside'],
  db_orphan: ['orphan', 'aside'],
  db_gone: ['gone', 'bad'],
  db_parse_failed: ['not parsed', 'bad'],
  fetch_retry: ['to be retried', 'waiting'],
};

const kinds = { waiting: 'waiting', running: 'live', finished: 'good', failed: 'bad', aborted: 'bad' };

export const kindOfState = (word) => kinds[word] ?? 'aside';

/** Number 0: a limit or a check, not a line of a rule file. */
export const ruleWords = ({ number, text }) => (number === 0 ? text : `rule ${number}: ${text}`);

export const badge = (word, kind) => el('span', { class: `badge ${kind}` }, word);

export function statusBadge(status) {
  const [word, kind] = statuses[status] ?? [status, 'aside'];
  return el('span', { class: `badge ${kind}`, title: status }, word);
}

const reasonsOfCut = {
  length: 'it is longer than http.content.limit',
  time: 'it took longer than http.time.limit',
  disconnect: 'the connection closed before its end',
  decode: 'its compressed data ended early',
};

/** The status of a page, and whether only a part of its content was kept. */
export const pageBadges = ({ status, truncated }) =>
  truncated
    ? [
        statusBadge(status),
        ' ',
        el(
          'span',
          {
            class: 'badge waiting',
            title: `Only a part of its content was stored: ${reasonsOfCut[truncated] ?? truncated}`,
          },
          'cut',
        ),
      ]
    : [statusBadge(status)];

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const hours = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const numbers = new Intl.NumberFormat();
const decimals = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value) => numbers.format(value);

/** With one decimal place. */
export const decimal = (value) => decimals.format(value);

const BRIEF = 200;
const graphemes = new Intl.Segmenter();

/** The beginning of a title or URL, in whole characters. Those of crawled pages may be as long as a page of text. */
export function brief(text) {
  if (text.length <= BRIEF) return text;
  const end = graphemes.segment(text).containing(BRIEF).index;
  return `${text.slice(0, end || BRIEF)}…`;
}

/** A time in the time zone of the browser; the element contains it in UTC. */
export function time(value, format = clock) {
  if (value === null || value === undefined) return null;
  const date = new Date(value);
  return el('time', { datetime: date.toISOString(), title: date.toISOString() }, format.format(date));
}

/** To the minute, for tables. */
export const shortTime = (value) => time(value, minutes);

export const timeOfDay = (value) => time(value, hours);

/** `0:07`, `12:30`, `1:02:03` */
export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [hour, minute] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, '0');
  return hour > 0 ? `${hour}:${String(minute).padStart(2, '0')}:${tail}` : `${minute}:${tail}`;
}

/** `30 days`, `90 s` */
export function interval(seconds) {
  const [size, unit] = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ].find(([unitSeconds]) => seconds >= 2 * unitSeconds) ?? [1, 's'];
  return `${number(Math.round((10 * seconds) / size) / 10)} ${unit}`;
}

/** `12.3 kB` */
export function bytes(count) {
  if (count === null || count === undefined) return null;
  return count < 1_000 ? `${count} B` : count < 1e6 ? `${decimal(count / 1_000)} kB` : `${decimal(count / 1e6)} MB`;
}
