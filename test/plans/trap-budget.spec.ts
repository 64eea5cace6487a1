import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTemplate } from '../../src/core/trap/budget.js';
import {
  lockTemplates,
  saveTemplates,
  knownTemplate,
  newTargets,
  pagesOfHosts,
} from '../../src/cycle/updatedb/trap-budget.sql.js';
import { row, sql, transaction } from '../../src/db/sql.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths, nodeTypes } from './explained.js';
import { BATCHES, CRAWL, type SomePage, CHUNK, rolledBack, seededDatabase, somePages } from './seeded.js';

/** The statements of URL budgets, planned on a table of 100,000 pages and as many templates: their cost depends on the chunk. */

let db: TestDatabase;
let updated: SomePage[];
let templates: { host: string; template: string }[];

beforeAll(async () => {
  db = await seededDatabase();
  await db.query(
    `insert into url_template (crawl, host, template)
     select ${CRAWL}, host, '/' || n || '/{n}' from host, generate_series(1, 100) n where host.crawl = ${CRAWL}`,
  );
  await db.query('vacuum analyze url_template');
  updated = await somePages(db, `generate_mark = '${BATCHES.parsed}'`, CHUNK);
  templates = await db.query(`select host, template from url_template order by md5(host || template) limit ${CHUNK}`);
});
afterAll(() => db.drop());

const seen = (work: (tx: Explained) => Promise<unknown>) =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    await work(tx);
    return { paths: accessPaths(tx.plans), nodes: nodeTypes(tx.plans), plans: JSON.stringify(tx.plans) };
  });

describe('statements of URL budgets', () => {
  it('find the targets of a chunk by key', async () => {
    const { paths } = await seen((tx) => newTargets(tx, CRAWL, updated, undefined));
    expect(paths).toEqual(['page_content_pkey (crawl, host, key)', 'webpage_pkey (crawl, host, key_hash)']);
  });

  it.each<[string, (tx: Explained) => Promise<unknown>]>([
    ['lock templates', (tx) => lockTemplates(tx, CRAWL, templates)],
    [
      'write templates',
      (tx) =>
        saveTemplates(
          tx,
          CRAWL,
          templates.map((one) => ({ ...one, known: newTemplate, refused: 1 })),
        ),
    ],
    ['read one template', (tx) => knownTemplate(tx, CRAWL, templates[0]!)],
  ])('%s by key', async (_what, work) => {
    const { plans } = await seen(work);
    expect(plans).toContain('url_template_pkey');
    expect(plans).not.toMatch(/"Seq Scan"[^}]*"url_template"/);
  });

  it('read the counts of hosts by key', async () => {
    const { plans } = await seen((tx) =>
      pagesOfHosts(
        tx,
        CRAWL,
        templates.slice(0, 10).map(({ host }) => host),
      ),
    );
    expect(plans).toContain('host_pkey');
  });

  it('update a template by two concurrent tasks one after the other', async () => {
    const one = templates.slice(0, 1);
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const count = (name: string, wait: Promise<void>) =>
      transaction(db.pool, async (tx) => {
        const [known] = await lockTemplates(tx, CRAWL, one);
        order.push(name);
        begun.resolve();
        await wait;
        await saveTemplates(tx, CRAWL, [{ ...one[0]!, known: { ...known!, added: known!.added + 1 }, refused: 0 }]);
      });
    const running = [count('first', first.promise)];
    await begun.promise;
    running.push(count('second', Promise.resolve()));
    // The second waits for the lock before the first continues.
    for (let waiting = 0; waiting === 0;)
      waiting = (await row<{ n: number }>(
        db.pool,
        sql`
        select count(*)::int as n from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
      ))!.n;
    expect(order).toEqual(['first']);
    first.resolve();
    await Promise.all(running);
    expect((await knownTemplate(db.pool, CRAWL, one[0]!)).added).toBe(2);
  });
});
