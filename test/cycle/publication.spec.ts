import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { onCluster } from '../support/database.js';
import { onlyWhere } from '../support/left-out.js';

/** Logical replication by an operator: PostgreSQL refuses changes of rows that a publication cannot describe. */

let cycle: Cycle;
beforeAll(async () => (cycle = await openCycle()));
afterAll(() => cycle?.close());

const waitOf = async (type: string) =>
  (
    await cycle.db.query<{ what: string }>(
      `select t.waits ->> 'what' as what from job_task t join job j on j.id = t.job where j.type = $1`,
      [type],
    )
  )[0]?.what;

describe('a publication that refuses changes of pages', onlyWhere(!onCluster, 'publishes tables of one server'), () => {
  it('makes a job wait, which says why, and goes on when the publication is changed', async () => {
    await cycle.inject(['http://a.test/']);
    await cycle.db.query('create publication of_good_pages for table webpage where (score > 1)');
    const generating = cycle.run('GENERATE');
    await expect
      .poll(() => waitOf('GENERATE'))
      .toBe(
        'the database (cannot update table "webpage": ' +
          'Column used in the publication WHERE expression is not part of the replica identity.)',
      );
    await cycle.db.query('drop publication of_good_pages');
    expect(await generating).toMatchObject({ state: 'FINISHED', result: { 'generate.count': 1 } });
  });

  it('refuses none when its tables have the identity that docs/operations.md gives them', async () => {
    const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [statements] = /create unique index webpage_identity[^`]*/.exec(guide)!;
    await cycle.db.query(statements);
    await cycle.db.query('create publication of_all for table webpage, webgraph_node');
    await cycle.inject(['http://b.test/']);
    expect(await cycle.run('GENERATE', { batch: 'all' })).toMatchObject({ state: 'FINISHED' });
    await cycle.db.query('drop publication of_all');
  });
});
