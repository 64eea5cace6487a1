/** Statistics of a polite crawl from the log of the web server: the busy time of each host, and its avoidable idle time. */
import { readFileSync } from 'node:fs';
import { table } from './database.mjs';

/** Fields of a line of nginx's log: address, end of the request (s), its duration (s). */
export const LOG_FORMAT = '$server_addr $msec $request_time';

/** The delay as kept by the fetcher: longer by a tenth, at most 50 ms, so that a server measures at least the delay. */
const kept = (delay) => delay + Math.min(delay * 0.1, 50);

/** Requests by host, each with its start and end in ms, in the order in which they began. */
function requestsByHost(log) {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const requests = lines.map((line) => {
    const [host, end, seconds] = line.split(' ');
    return { host, from: (Number(end) - Number(seconds)) * 1000, to: Number(end) * 1000 };
  });
  const byHost = Object.groupBy(requests, ({ host }) => host);
  return Object.entries(byHost).map(([host, its]) => ({ host, its: its.sort((a, b) => a.from - b.from) }));
}

function timesOf({ host, its }, delay) {
  const gaps = its.slice(1).map(({ from }, i) => from - its[i].to);
  const busy = its.reduce((sum, { from, to }) => sum + to - from, 0);
  return {
    host,
    requests: its.length,
    // The time needed if each request begins as soon as it is allowed.
    alone: busy + (its.length - 1) * kept(delay),
    span: its.at(-1).to - its[0].from,
    idle: gaps.reduce((sum, gap) => sum + Math.max(0, gap - kept(delay)), 0),
    // The log has a resolution of one millisecond.
    early: gaps.filter((gap) => gap < delay - 2).length,
  };
}

const seconds = (ms) => (ms / 1000).toFixed(1);

/**
 * Prints the largest hosts, and the ratio of the time of the crawl to that of the largest host alone.
 * @param delay of a host, ms
 */
export function politenessReport(log, delay, crawlSeconds) {
  const hosts = requestsByHost(log)
    .map((one) => timesOf(one, delay))
    .sort((a, b) => b.requests - a.requests);
  const [largest] = hosts;
  const rows = hosts
    .slice(0, 5)
    .map(({ host, requests, alone, span, idle, early }) => [
      host,
      requests,
      seconds(alone),
      seconds(span),
      `${((100 * idle) / span).toFixed(1)} %`,
      early,
    ]);
  const ratio = (crawlSeconds * 1000) / largest.alone;
  return `${table(['host', 'requests', 'needs alone s', 'first to last request s', 'idle beyond the delay', 'asked early'], rows)}

The crawl took ${crawlSeconds.toFixed(1)} s, ${ratio.toFixed(2)} times what its largest host alone needs (${seconds(largest.alone)} s); asked early on all hosts: ${hosts.reduce((sum, { early }) => sum + early, 0)}`;
}
