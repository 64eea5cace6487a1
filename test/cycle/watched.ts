/** A site that records its requests, to check politeness at the server. */
import { onTestFinished } from 'vitest';
import { type Handler, type Site, page, startSite, status } from '../support/site.js';

export interface Span {
  path: string;
  host: string;
  /** By `performance.now`, ms. */
  start: number;
  end: number;
}

export interface Watched extends Site {
  /** Start and end of each request for a page, in the order of their starts. */
  readonly spans: Span[];
  /** Most requests open at once. */
  most(): number;
}

export interface WatchedOptions {
  robots?: Handler;
  /** Response of its pages; default: a page. */
  pages?: Handler;
  /** Time that each page takes. */
  ms?: number;
  /** Address to listen on. */
  host?: string;
}

/** Starts a site that takes some time for each page; robots.txt, by default 404, is not recorded. */
export async function startWatched(options: WatchedOptions = {}): Promise<Watched> {
  const { robots = status(404), pages = page('x'), ms = 40, host } = options;
  const spans: Span[] = [];
  let open = 0;
  let most = 0;
  const handler: Handler = async (req, res) => {
    if (req.url === '/robots.txt') return robots(req, res);
    const span = { path: req.url ?? '', host: req.headers.host ?? '', start: performance.now(), end: 0 };
    spans.push(span);
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, ms));
    open--;
    span.end = performance.now();
    return pages(req, res);
  };
  const site = await startSite(handler, host === undefined ? {} : { host });
  return Object.assign(site, { spans, most: () => most });
}

/** Milliseconds between the end of a request and the start of the next one. */
export const gaps = (spans: readonly Span[]): number[] => spans.slice(1).map((span, i) => span.start - spans[i]!.end);

/** Timers fire a little early by the clock of performance.now. */
export const SLACK = 5;

/**
 * A clock for events that are handled some time after they happened, such as the end of a connection: its time is no later than
 * the event being handled, however late a busy process handles it. It is the time of the last iteration of the event loop but
 * one.
 */
export function clockOfEvents(): { earliest(): number } {
  let last = performance.now();
  let beforeLast = last;
  const ticks = setInterval(() => {
    beforeLast = last;
    last = performance.now();
  }, 1);
  onTestFinished(() => clearInterval(ticks));
  return { earliest: () => beforeLast };
}
