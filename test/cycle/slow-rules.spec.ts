import type { UrlRules } from '../../src/core/url/url-rules.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { Selection } from '../../src/cycle/generate/selection.js';
import { judgeLinks } from '../../src/cycle/filter-links.js';
import { type Sql, transaction } from '../../src/db/sql.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { expectConsistent } from './table.js';

/** Slow URL rules: PostgreSQL ends a transaction that is idle for 30 s, and a thousand rules take a millisecond for each URL. */

const MANY = 2_200;
/** Most URLs checked between two statements: at 1.5 ms each, less than a second. */
const MAX_BETWEEN = 500;

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

/** Runs work in a transaction that counts its statements. */
const inTransaction = <T>(work: (tx: Sql, statements: () => number) => Promise<T>): Promise<T> =>
  transaction(cycle.pool, (client) => {
    let sent = 0;
    const query: Sql['query'] = (statement: never) => {
      sent++;
      return client.query(statement) as never;
    };
    return work({ query }, () => sent);
  });

/** Most URLs checked between two statements. */
function longest(judgedAt: number[]): number {
  const byStatement = Map.groupBy(judgedAt, (statement) => statement);
  return Math.max(...[...byStatement.values()].map((judged) => judged.length));
}

describe('a transaction sends a statement at least every 500 URLs while it applies URL rules', () => {
  it('to links, in UPDATEDB and INVERTLINKS', async () => {
    await cycle.inject(['http://a.test/']);
    const crawl = Number((await cycle.db.query<{ id: string }>(`select id from crawl where name = 'k'`))[0]!.id);
    const page = { host: 'test.a', key: 'test.a:http/' };
    await cycle.db.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
       select ${crawl}, '${page.host}', '${page.key}', array_agg('test.b:http/' || i), array_agg(''::text) from generate_series(1, ${MANY}) i`,
    );
    const judgedAt: number[] = [];
    await inTransaction((tx, statements) => {
      const admit: UrlRules['admit'] = (url) => (judgedAt.push(statements()), { url, key: '' } as never);
      return judgeLinks(tx, { crawl, sources: [page] }, { admit } as UrlRules, { filter: true, normalize: false });
    });
    expect(judgedAt).toHaveLength(MANY);
    expect(longest(judgedAt)).toBeLessThanOrEqual(MAX_BETWEEN);
    await cycle.db.query(`delete from page_content`);
  });

  it('to pages that a filter excludes from a batch', async () => {
    await cycle.inject(
      Array.from({ length: MANY }, (_, i) => `http://c.test/${i}`),
      {},
      { crawlId: 'out' },
    );
    const crawl = Number((await cycle.db.query<{ id: string }>(`select id from crawl where name = 'out'`))[0]!.id);
    const judgedAt: number[] = [];
    const conf = { ...defaults, 'urlfilter.regex.rules': '-.' };
    await inTransaction(async (tx, statements) => {
      const selection = new Selection(
        tx,
        { crawl, conf, args: {}, now: new Date(Date.now() + 1_000) },
        {
          take: () => Promise.resolve([]),
          early: () => Promise.resolve(),
          seen: (_, outcome) => void (judgedAt.push(statements()), expect(outcome).toBe('URL_FILTERS_REJECTED')),
          enough: () => false,
        },
      );
      await selection.fill();
    });
    expect(judgedAt).toHaveLength(MANY);
    expect(longest(judgedAt)).toBeLessThanOrEqual(MAX_BETWEEN);
  });
});
