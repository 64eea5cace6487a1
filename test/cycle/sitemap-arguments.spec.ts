import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { sitemapsOf } from './sitemaps.js';
import { counters } from './table.js';

let cycle: Cycle;
let { run } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ run } = sitemapsOf(cycle));
});
afterAll(() => cycle.close());

it.each([
  ['sitemap', { sitemapUrls: ['not a url', 'ftp://a.test/s.xml'] }],
  ['host', { hosts: ['ftp://a.test', 'a b'] }],
])('SITEMAP warns of a %s in its arguments that is not read', async (kind, args) => {
  const job = await run(`refused-${kind}`, args);
  expect(counters(job, 'Sitemap')).toMatchObject({ filtered_sitemaps: 2 });
  const [first] = Object.values(args)[0]!;
  expect(job.result?.warnings).toEqual([
    `${kind} "${first}" is not read: it is no http or https URL, or the URL rules refuse it; the same applies to 1 more ${kind}`,
  ]);
});
