/**
 * What links hand to other hosts, on its way: the parts of a job work on hosts of their own and would wait for each other
 * if each paid its links into the hosts of the others. So a window leaves these shares here, aggregated by target, in the
 * transaction that closes its pages; a share is taken away in the transaction that pays it. Each is paid once, whoever dies.
 *
 * Every part pays what is addressed to it whenever it has read ahead, and, when its own pages are done, all there is: so the
 * last part to end leaves nothing. What a job that was ended half-way leaves is paid by the next UPDATEDB of the crawl.
 *
 * Pages that windows gave inlinks come the same way to have them counted: a window does not see those that the windows of other
 * parts are just inserting, but whoever takes the last of these posts sees what all of them have inserted.
 */
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { type Post, TO_COUNT, settledRows } from './close-window.sql.js';
import { capInlinks } from '../inlinks.sql.js';
import { type LinkOptions, mayEnter, upsertProposed } from './proposed-rows.sql.js';

/** Posts paid in one transaction, and the targets after which no further post is taken. */
const AT_ONCE = 16;
const ENOUGH_TARGETS = 50_000;

export async function postShares(tx: Sql, crawl: number, posts: readonly Post[]): Promise<void> {
  if (posts.length === 0) return;
  await tx.query(sql`
    insert into share_on_the_way (crawl, part, targets, keys, shares, distances, kinds)
    select ${crawl}, p.part, p.targets, p.keys::text[], p.shares::float8[], p.distances::int[], p.kinds::text[]
      from unnest(${posts.map((p) => p.part)}::int[], ${posts.map((p) => p.targets)}::int[], ${posts.map((p) => p.keys)}::text[], ${posts.map((p) => p.shares)}::text[],
                  ${posts.map((p) => p.distances)}::text[], ${posts.map((p) => p.kinds)}::text[]) as p (part, targets, keys, shares, distances, kinds)`);
}

/** The oldest posts to a part, or to any, held by the present transaction: those that nobody else is just paying. */
export async function takeShares(tx: Sql, crawl: number, part: number | null): Promise<string[]> {
  const posts = await rows<{ id: string }>(
    tx,
    sql`
    with oldest as (
      select id, targets from share_on_the_way
       where crawl = ${crawl} ${part === null ? fragment`` : fragment`and part = ${part}`}
       order by id limit ${AT_ONCE} for update skip locked
    )
    select id from (select id, sum(targets) over (order by id) - targets as before from oldest) added_up
     where before < ${ENOUGH_TARGETS}`,
  );
  return posts.map(({ id }) => id);
}

/**
 * Pays posts to their targets, counts inlinks, and takes the posts away; answers the new pages by host. They are read where they lie: sent here and
 * back their keys would be written out and taken in twice.
 *
 * @param posts ids, as `takeShares` answers them in this transaction
 */
export async function payShares(
  tx: Sql,
  posts: readonly string[],
  o: LinkOptions,
): Promise<{ host: string; n: number }[]> {
  const found = fragment`
      select split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key, l.share, l.distance, l.kind
        from share_on_the_way p
       cross join lateral unnest(p.keys, p.shares, p.distances, p.kinds) as l (key, share, distance, kind)
       where p.crawl = ${o.crawl} and p.id = any (${posts}::bigint[]) and l.distance <> ${TO_COUNT}`;
  // Shares alone are on the way: a job whose pages give more than that pays at once.
  const put = upsertProposed({ ...o, endows: false });
  const added = await rows<{ host: string; n: number }>(
    tx,
    sql`
    with own as (
      select * from ${settledRows([])}
    ), ${mayEnter(o, found)}, target as (
      select host, key, sum(share) as share, min(distance) + 1 as distance, min(kind) as kind from link group by host, key
    ), put as (
      ${put}
    )
    select host, count(*)::int as n from put where added group by host`,
  );
  await capLinked(tx, posts, o);
  await tx.query(sql`delete from share_on_the_way where crawl = ${o.crawl} and id = any (${posts}::bigint[])`);
  return added;
}

async function capLinked(tx: Sql, posts: readonly string[], { crawl, maxInlinks }: LinkOptions): Promise<void> {
  const linked = await rows<{ host: string; key: string }>(
    tx,
    sql`
    select distinct split_part(l.key, ':', 1) as host, l.key
      from share_on_the_way p
     cross join lateral unnest(p.keys, p.distances) as l (key, distance)
     where p.crawl = ${crawl} and p.id = any (${posts}::bigint[]) and l.distance = ${TO_COUNT}`,
  );
  if (linked.length > 0) await capInlinks(tx, crawl, linked, maxInlinks);
}
