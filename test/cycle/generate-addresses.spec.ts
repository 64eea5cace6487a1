import dns from 'node:dns/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { replaceBuiltin } from '../support/builtins.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { expectConsistent } from './table.js';

/** GENERATE by address: PostgreSQL ends a transaction that is idle for 30 s, and lookups of names may take longer. */

const HOSTS = 60;
/** Number of names looked up at once. */
const GROUP = 25;

let cycle: Cycle;
/** Start of the idle time of the transaction of GENERATE, read in each lookup. */
let idleSince: string[] = [];
replaceBuiltin(dns, {
  async lookup() {
    idleSince.push(await sinceWhenIdle());
    throw new Error('no such name');
  },
});

/** Waits, as the backend may still be finishing its last statement. */
async function sinceWhenIdle(): Promise<string> {
  for (;;) {
    const found = await cycle.db.query<{ since: string }>(
      `select state_change::text as since from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    if (found.length > 0) return found.map(({ since }) => since).join();
  }
}

beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

const lines = Array.from({ length: HOSTS }, (_, i) => `http://host${i}.test/`);

describe('GENERATE keeps its transaction active between groups of name lookups', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['to partition by address', {}, { 'partition.url.mode': 'byIP' }],
    ['to count by address', {}, { 'generate.count.mode': 'ip' }],
    ['to partition a seed list', { freegen: 'names' }, { 'partition.url.mode': 'byIP' }],
  ])('%s', async (name, args, conf) => {
    const crawlId = name.replaceAll(' ', '-');
    if (args['freegen'] === undefined) await cycle.inject(lines, {}, { crawlId });
    else {
      const seeds = lines.map((line) => ({ id: null, line }));
      await new SeedListStore(cycle.dataSource).save({ name: 'names', id: null }, seeds);
    }
    idleSince = [];
    const job = await cycle.run('GENERATE', args, { crawlId, conf });
    expect(job.result?.['generate.count']).toBe(HOSTS);
    expect(idleSince).toHaveLength(HOSTS);
    expect(new Set(idleSince).size).toBe(Math.ceil(HOSTS / GROUP));
  });
});
