import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CrawlProgress } from '../../clients/typescript/src/generated/schemas.js';
import { durationText, figuresOf, progressLine, Speed } from '../../src/commands/crawl/progress.js';
import { printable, StatusLine, type Terminal } from '../../src/commands/terminal.js';

/** What the command line prints while a crawl runs. */

const crawl = (visits: Record<string, number>, ...children: { type: string; round: number; state?: string }[]) => {
  const states = children.map((child, i) => ({ state: i < children.length - 1 ? 'FINISHED' : 'RUNNING', ...child }));
  const counters = { FetcherStatus: visits };
  return { state: 'RUNNING', counters, waitsFor: [], children: states } as unknown as CrawlProgress;
};

describe('figuresOf a crawl', () => {
  it('counts fetched, failed, redirected and denied pages, and none that were not visited', () => {
    const visits = { SUCCESS: 5, NOTMODIFIED: 2, NOTFOUND: 1, EXCEPTION: 3, MOVED: 4, ROBOTS_DENIED: 2, pending: 9 };
    const figures = figuresOf(crawl(visits, { type: 'FETCH', round: 1 }, { type: 'PARSE', round: 2 }), 11, 0);
    expect(figures).toEqual({
      round: 2,
      step: 'PARSE',
      fetched: 7,
      failed: 4,
      redirected: 4,
      denied: 2,
      waiting: 11,
      wait: null,
    });
  });

  it('names the open FETCH while UPDATEDB or GENERATE runs too', () => {
    const fetch = { type: 'FETCH', round: 1, state: 'RUNNING' };
    expect(figuresOf(crawl({}, fetch, { type: 'GENERATE', round: 4 }), 1, 0)).toMatchObject({
      round: 4,
      step: 'FETCH',
    });
  });

  it('names a paused crawl as paused', () => {
    const paused = { ...crawl({}, { type: 'FETCH', round: 3 }), paused: true };
    expect(figuresOf(paused, 1, 0)).toMatchObject({ round: 3, step: 'paused' });
  });

  it('returns zeros before the first job', () => {
    const none = { ...crawl({}), counters: {} } as CrawlProgress;
    expect(figuresOf(none, 0, 0)).toEqual({
      round: 0,
      step: 'RUNNING',
      fetched: 0,
      failed: 0,
      redirected: 0,
      denied: 0,
      waiting: 0,
      wait: null,
    });
  });
});

describe('the wait in the figures of a crawl', () => {
  const now = Date.parse('2026-11-21T08:00:12.900Z');
  const since = '2026-11-21T08:00:00.000Z';
  const waitOf = (...waitsFor: object[]) => {
    const children = [
      { id: 'k-UPDATEDB-3', type: 'UPDATEDB', state: 'RUNNING', round: 1, msg: 'OK: waiting for nothing' },
      { id: 'k-FETCH-2', type: 'FETCH', state: 'RUNNING', round: 1, msg: 'OK: waiting for nothing' },
    ];
    const found = { state: 'RUNNING', counters: {}, children, waitsFor } as unknown as CrawlProgress;
    return figuresOf(found, 0, now).wait;
  };

  it.each([
    [
      'a lock',
      { for: 'job', what: 'k-FETCH-1, which holds FETCH/b1 of this crawl' },
      'waiting for k-FETCH-1, which holds FETCH/b1 of this crawl for 12 s',
    ],
    [
      'the database',
      { for: 'database', what: 'the database (canceling statement due to lock timeout)' },
      'waiting for the database (canceling statement due to lock timeout) for 12 s',
    ],
    [
      'a parser',
      { for: 'parser', what: 'the parser: 37 pages', url: 'http://site.test/a' },
      'waiting for the parser: 37 pages, now http://site.test/a for 12 s',
    ],
  ])('is that of the current step for %s', (_, wait, text) => {
    expect(waitOf({ job: 'k-FETCH-2', url: null, pages: null, since, ...wait })).toBe(text);
  });

  it('is the longest of the current step, and none of another step', () => {
    const [first, second] = ['a', 'b'].map((what) => ({ job: 'k-FETCH-2', what, url: null, since }));
    expect(waitOf(first!, second!)).toBe('waiting for a for 12 s');
    expect(waitOf({ ...first, job: 'k-UPDATEDB-3' })).toBeNull();
    expect(waitOf()).toBeNull();
  });

  it('has no time under a second', () => {
    const later = '2026-11-21T08:00:13.000Z';
    expect(waitOf({ job: 'k-FETCH-2', what: 'a', url: null, since: later })).toBe('waiting for a');
  });
});

describe('progressLine', () => {
  const none = { redirected: 0, denied: 0, wait: null };
  const figures = { round: 2, step: 'FETCH', fetched: 6, failed: 2, waiting: 8, ...none };
  const words = 'round 2 FETCH: 6 fetched, 2 failed, 8 waiting, 3.5 pages/s';

  it('starts with a bar of visited pages among the known ones', () => {
    expect(progressLine(figures, 3.5, 100)).toBe(`████████░░░░░░░░ ${words}`);
    expect(progressLine({ ...figures, fetched: 0, failed: 0, waiting: 0 }, 0, 100)).toMatch(/^░{16} /);
  });

  it('names redirects, pages denied by robots.txt and the wait of the step, if any', () => {
    const wait = 'waiting for the parser: 37 pages, now http://site.test/a for 12 s';
    expect(progressLine({ ...figures, redirected: 1, denied: 3, wait }, 3.5, 200)).toContain(
      `6 fetched, 2 failed, 1 redirect, 3 denied by robots.txt, 8 waiting, 3.5 pages/s; ${wait}`,
    );
  });

  it.each([
    [100, 16 + 1 + words.length],
    [60, words.length],
    [20, 20],
    [0, 0],
  ])('fits %i columns with %i characters', (width, length) => {
    expect(progressLine(figures, 3.5, width)).toHaveLength(length);
  });

  it.each([
    [0, '0:00'],
    [7_400, '0:07'],
    [65_000, '1:05'],
    [3_723_000, '1:02:03'],
  ])('writes %i ms as %s', (ms, text) => expect(durationText(ms)).toBe(text));
});

describe('Speed of a crawl', () => {
  it('is the rate of the last ten seconds', () => {
    const speed = new Speed(10_000);
    expect(speed.perSecond).toBe(0);
    for (const [atMs, pages] of [
      [0, 0],
      [5_000, 100],
      [10_000, 100],
      [20_000, 300],
    ] as const)
      speed.add(atMs, pages);
    expect(speed.perSecond).toBe(20);
  });
});

describe('printable text', () => {
  it.each([
    ['\x1b]0;title\x07', '\ufffd]0;title\ufffd'],
    ['a\r\x9b2Kb', 'a\ufffd\ufffd2Kb'],
    ['\u202egnp.exe', '\ufffdgnp.exe'],
    ['two\nlines — ü 漢', 'two\nlines — ü 漢'],
  ])('of %j is %j, without control characters', (text, shown) => expect(printable(text)).toBe(shown));
});

describe('StatusLine', () => {
  function screen(isTTY: boolean) {
    let text = '';
    const stderr = Object.assign(new Writable({ write: (chunk, _, done) => ((text += String(chunk)), done()) }), {
      isTTY,
      columns: 40,
    });
    const terminal = { stdout: stderr, stderr, variables: {} } as Terminal;
    return { terminal, text: () => text };
  }

  it('overwrites itself on a terminal within its width, and is erased before a log line', () => {
    const { terminal, text } = screen(true);
    const status = new StatusLine(terminal);
    status.show((width) => `a${width}`);
    status.show(() => 'b');
    status.log('done');
    expect(text()).toBe('\r\x1b[2Ka39\r\x1b[2Kb\r\x1b[2Kdone\n');
  });

  it('is one line every five seconds if the output is no terminal', () => {
    const { terminal, text } = screen(false);
    let now = 0;
    const status = new StatusLine(terminal, 5_000, () => now);
    for (now = 0; now <= 11_000; now += 1_000) status.show(() => `at ${now}`);
    expect(text()).toBe('at 5000\nat 10000\n');
  });

  it('is not printed with an infinite interval', () => {
    for (const isTTY of [true, false]) {
      const { terminal, text } = screen(isTTY);
      new StatusLine(terminal, Infinity).show(() => 'a');
      expect(text()).toBe('');
    }
  });
});
