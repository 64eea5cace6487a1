/**
 * Redirects followed at once (`http.redirect.max` above 0): the target joins the batch of the page that led to it, and is
 * then a page like any other, with the rules, robots.txt and the queue of its own host; a later attempt finds it in the
 * batch. A target that waits for its time, or is in a batch already, is not taken: no page is visited twice in a run.
 */
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import { type Sql, row, sql } from '../../db/sql.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host.store.js';
import type { Run } from '../step.js';
import { type Waiting, validators } from './fetch.sql.js';

/**
 * Takes the target into the batch. `joined` is called before the batch can be read with it.
 * @returns the target as it waits to be fetched, or null when it was not taken.
 */
export function joinBatch(
  run: Run,
  source: Waiting,
  target: string,
  joined: (page: Waiting) => void,
): Promise<Waiting | null> {
  const { crawl } = run.job;
  return run.write(async (tx, count) => {
    const taken = await takeTarget(tx, source, { crawl, key: target, interval: run.conf['db.fetch.interval.default'] });
    if (!taken) return null;
    if (taken.added) {
      const deltas = new StatusDeltas();
      deltas.move(taken.page.host, null, PAGE_STATUS.unfetched);
      await addStatusDeltas(tx, crawl, deltas);
    }
    count('Fetcher', 'selected');
    joined(taken.page);
    return taken.page;
  });
}

/** A new page, or a known one that is selectable; it lies in the part of the page that led to it. */
async function takeTarget(
  tx: Sql,
  source: Waiting,
  target: { crawl: number; key: string; interval: number },
): Promise<{ page: Waiting; added: boolean } | undefined> {
  const from = await row<{ distance: number; hash: number | null }>(
    tx,
    sql`select distance, partition_hash as hash from webpage
         where crawl = ${target.crawl} and host = ${source.host} and key = ${source.key}
           -- Written so that the index of batches is not walked by old statistics.
           and generate_mark is not distinct from ${source.mark}`,
  );
  if (!from) return undefined;
  const distance = from.distance + 1;
  const found = await row<Waiting & { added: boolean }>(
    tx,
    sql`
    insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, distance, source_kind,
                              generate_mark, batch_id, partition_hash, spend, spend_distance)
    values (${target.crawl}, ${hostKeyOf(target.key)}, ${target.key}, 1, now(), ${target.interval}, 0, 0, ${distance}, 'redirect',
            ${source.mark}, ${source.mark}, ${from.hash}, 0, ${distance})
    on conflict (crawl, host, key) do update
       set generate_mark = excluded.generate_mark, batch_id = excluded.batch_id, partition_hash = excluded.partition_hash,
           rank = null, spend = w.cash, cash = 0, spend_distance = w.distance
     where w.rank is not null
    returning w.generate_mark as mark, hashtext(w.key) as hash, w.key, w.host, w.status, w.score, w.signature,
              w.parse_major is null as unparsed, ${validators}, (xmax = 0) as added`,
  );
  if (!found) return undefined;
  const { added, ...page } = found;
  return { page, added };
}
