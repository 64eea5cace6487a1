import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite, status } from '../support/site.js';
import { byPath, expectConsistent } from './table.js';

/** Arguments of FETCH as clients of both lines of Nutch give them (crawl-semantics section 4; rest-contract section 4). */

let cycle: Cycle;
let site: Site;
let handlers: Record<string, Handler> = {};

beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite((req, res) => (handlers[req.url ?? ''] ?? status(404))(req, res));
});
afterEach(async () => {
  await expectConsistent(cycle);
  site.log.length = 0;
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

describe('noParsing', () => {
  it.each([
    ['says that FETCH does not parse, whatever fetcher.parse', { noParsing: true }, 'true', null],
    ['is a flag of 1.x: it counts by being there', { noParsing: '' }, 'true', null],
    ['gives way to parse', { noParsing: true, parse: true }, 'false', 1],
    ['that is false leaves it to fetcher.parse', { noParsing: false }, 'true', 1],
  ])('%s', async (name, args, parse, parsed) => {
    handlers = { '/a': page('<title>A</title>') };
    await cycle.inject([`${site.url}/a`], {}, { crawlId: name.slice(0, 20) });
    await cycle.run('GENERATE', {}, { crawlId: name.slice(0, 20) });
    await cycle.run('FETCH', args, { crawlId: name.slice(0, 20), conf: { 'fetcher.parse': parse } });
    expect(await byPath(cycle, (row) => row.parse_major, name.slice(0, 20))).toEqual({ '/a': parsed });
  });
});
