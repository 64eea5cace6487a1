import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, startSite } from '../support/site.js';

/**
 * A transaction that needs a second connection keeps its rows locked for as long as the pool, or the network, has none:
 * others wait for them, and a rescue skips its tasks. With one connection in the pool it would deadlock with itself.
 * (DEDUP and INVERTLINKS read through cursors, which lock no rows, and write on another connection.)
 */
describe('a crawl with a pool of one connection needs no second one in a transaction', () => {
  let cycle: Cycle;
  let site: Site;

  beforeAll(async () => {
    cycle = await openCycle(1);
    site = await startSite((request, response) => {
      if (request.url === '/old') return void response.writeHead(301, { location: '/new' }).end();
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title><a href="/old">moved</a>');
    });
  });
  afterAll(async () => {
    await cycle.close();
    await site.close();
  });

  it('for the rounds from the seed through its links', async () => {
    expect(await cycle.inject([`${site.url}/`])).toMatchObject({ state: 'FINISHED', msg: 'OK' });
    expect([await cycle.round(), await cycle.round(), await cycle.round()]).toEqual([1, 1, 1]);
  });

  it('for GENERATE from a seed list', async () => {
    await cycle.inject([`${site.url}/other`]);
    expect(await cycle.run('GENERATE', { freegen: 'list2' })).toMatchObject({
      state: 'FINISHED',
      result: { 'generate.count': 1 },
    });
  });
});
