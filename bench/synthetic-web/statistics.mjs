/** Statistics of the requests to the hosts, to check the behaviour of a crawler: `/__stats`. */
import { performance } from 'node:perf_hooks';

/** Purpose of a request. */
export const PAGE = 0;
export const ROBOTS = 1;
export const FORBIDDEN = 2;

/**
 * @typedef {object} Request
 * @property {number} host -1 for one that does not exist
 * @property {number} start ms since 1970, of one clock for all processes
 * @property {number} end 0 while it is running
 * @property {number} status 0 where no headers were sent
 * @property {number} bytes
 * @property {number} url a hash of it
 * @property {number} purpose
 */

export const now = () => performance.timeOrigin + performance.now();
const rounded = (value) => (value === null || !Number.isFinite(value) ? null : Math.round(value * 100) / 100);
// Not Math.min(...values): a run has more requests than the maximum of arguments.
const smallest = (values) => values.reduce((min, value) => Math.min(min, value), Infinity);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? null;

/** The maximum of concurrent requests, from their starts and ends. @param {Request[]} requests */
function maxConcurrentOf(requests) {
  const changes = requests.flatMap(({ start, end }) => [
    [start, 1],
    [end || Infinity, -1],
  ]);
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let [open, max] = [0, 0];
  for (const [, change] of changes) {
    open += change;
    max = Math.max(max, open);
  }
  return max;
}

function countsOf(values) {
  const counts = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** @param {Request[]} requests of one host, in the order of their starts */
function hostStatistics(requests) {
  const gaps = [];
  const pauses = [];
  let lastEnd = 0;
  requests.forEach(({ start, end }, i) => {
    if (i > 0) {
      gaps.push(start - requests[i - 1].start);
      pauses.push(start - lastEnd);
    }
    lastEnd = Math.max(lastEnd, end || start);
  });
  const others = requests.filter(({ purpose }) => purpose !== ROBOTS);
  const distinct = new Set(others.map(({ url }) => url)).size;
  return {
    requests: requests.length,
    bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
    status: countsOf(requests.map(({ status }) => status)),
    distinct,
    repeats: others.length - distinct,
    maxConcurrent: maxConcurrentOf(requests),
    minGapMs: rounded(smallest(gaps)),
    medianGapMs: rounded(median(gaps)),
    minIdleMs: rounded(smallest(pauses)),
    robotsFetches: requests.length - others.length,
    robotsFirst: requests[0].purpose === ROBOTS,
    violations: requests.filter(({ purpose }) => purpose === FORBIDDEN).length,
  };
}

/** Totals, and statistics of each requested host. @param {Request[]} requests of all processes */
export function statisticsOf(requests) {
  const byStart = requests.toSorted((a, b) => a.start - b.start);
  /** @type {Map<number, Request[]>} */
  const groups = new Map();
  for (const request of byStart) {
    const group = groups.get(request.host);
    if (group) group.push(request);
    else groups.set(request.host, [request]);
  }
  const hosts = Object.fromEntries(
    [...groups].sort(([a], [b]) => a - b).map(([host, asked]) => [host, hostStatistics(asked)]),
  );
  const all = Object.values(hosts);
  const sum = (name) => all.reduce((total, host) => total + host[name], 0);
  const lastEnd = requests.reduce((last, { end }) => Math.max(last, end), 0);
  const seconds = (lastEnd - (byStart[0]?.start ?? lastEnd)) / 1000;
  const totals = {
    requests: requests.length,
    bytes: sum('bytes'),
    status: countsOf(requests.map(({ status }) => status)),
    distinct: sum('distinct'),
    repeats: sum('repeats'),
    violations: sum('violations'),
    hosts: all.length,
    maxConcurrent: maxConcurrentOf(requests),
    minGapMs: rounded(smallest(all.flatMap(({ minGapMs }) => minGapMs ?? []))),
    maxConcurrentPerHost: all.reduce((max, { maxConcurrent }) => Math.max(max, maxConcurrent), 0),
    seconds: rounded(seconds),
    requestsPerSecond: rounded(requests.length / seconds),
  };
  return { totals, hosts };
}
