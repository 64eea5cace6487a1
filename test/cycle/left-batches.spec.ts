import { expect, it } from 'vitest';
import { crawler, cycle, useCrawler } from './crawler.js';

/** UPDATEDB of the batches that earlier CRAWLs have left open: the first step of the next one. */

useCrawler();

const crawlId = 'left';

/** A GENERATE of one page as the step of a CRAWL in this state; returns its id. */
async function generated(batch: string, crawl: string | null): Promise<string> {
  const { id } = await cycle.run('GENERATE', { batch, topN: 1 }, { crawlId });
  if (crawl === null) return id;
  await cycle.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, started_at, ended_at)
     select $1, nextval('job_number'), crawl, crawl_id, conf_id, conf_hash, 'CRAWL', '{}', $2, '', now(),
            case when $2 in ('FAILED', 'KILLED') then now() end
       from job where id = $3`,
    [`of ${batch}`, crawl, id],
  );
  await cycle.db.query('update job set parent = $1, round = 1 where id = $2', [`of ${batch}`, id]);
  return id;
}

it('closes those of all CRAWLs that have ended or are being aborted, and no others', async () => {
  await crawler.inject(
    crawlId,
    Array.from({ length: 5 }, (_, n) => `http://a.test/${n}`),
  );
  await generated('ended', 'FAILED');
  await generated('aborted', 'KILLING');
  await generated('running', 'RUNNING');
  await generated('of-nobody', null);
  // A GENERATE whose worker was killed before it recorded its end.
  const killed = await generated('killed', 'KILLED');
  await cycle.db.query(`update job set result = '{}' where id = $1`, [killed]);
  expect(await cycle.run('UPDATEDB', { ofCrawl: 'left' }, { crawlId })).toMatchObject({
    state: 'FINISHED',
    result: { counters: { UpdateDb: { not_fetched: 3 } } },
  });
  const open = await cycle.db.query(
    `select generate_mark as mark from webpage where generate_mark is not null order by 1`,
  );
  expect(open).toEqual([{ mark: 'of-nobody' }, { mark: 'running' }]);
});
