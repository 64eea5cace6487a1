/** What a crawl left in the database: bytes by table and column, and how its updates were made. */
import { readFileSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import { table } from './database.mjs';

/** Relations with their partitions counted as one. */
const RELATIONS = `
  select coalesce(i.inhparent::regclass, c.oid::regclass)::text as name,
         sum(pg_relation_size(c.oid))::float8 as heap,
         sum(pg_indexes_size(c.oid))::float8 as indexes,
         sum(case when c.reltoastrelid = 0 then 0 else pg_total_relation_size(c.reltoastrelid) end)::float8 as toast,
         sum(s.n_tup_ins)::float8 as inserted, sum(s.n_tup_upd)::float8 as updated, sum(s.n_tup_hot_upd)::float8 as hot
    from pg_class c
    join pg_stat_user_tables s on s.relid = c.oid
    left join pg_inherits i on i.inhrelid = c.oid
   where c.relkind = 'r' and s.schemaname = 'public'
   group by 1 having sum(pg_total_relation_size(c.oid)) > 131072
   order by sum(pg_total_relation_size(c.oid)) desc`;

/** Mean bytes of each column of fetched pages, as stored. */
async function columns(client, name, joined) {
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1`,
    [name],
  );
  const sizes = rows.map((row) => `coalesce(sum(pg_column_size(t."${row.name}")), 0)::float8 as "${row.name}"`);
  const sums = (await client.query(`select ${sizes.join(', ')} from ${name} t ${joined}`)).rows[0];
  return Object.entries(sums).sort((a, b) => b[1] - a[1]);
}

/** Mean zstd size (level 3) of what pages had to say, for the ratio to what is stored: content and text of every 40th page. */
async function leastBytes(server, crawlId, corpus) {
  const pages = [...corpus.files].filter((_, index) => index % 40 === 0);
  let content = 0;
  let text = 0;
  let counted = 0;
  for (const [page, file] of pages) {
    const path = encodeURIComponent(corpus.urlOf(page));
    const answer = await server.api
      .get(`/v1/pages/${path}/text?crawlId=${crawlId}`, { responseType: 'arraybuffer' })
      .catch(() => undefined);
    if (!answer) continue;
    content += zstdCompressSync(readFileSync(file)).length;
    text += zstdCompressSync(Buffer.from(answer.data)).length;
    counted += 1;
  }
  return { content: content / counted, text: text / counted, counted };
}

/** Markdown about the storage of the crawl; `pages` is how many were fetched. */
export async function storageReport(server, crawlId, corpus, pages) {
  const per = (n) => Math.round(n / pages).toLocaleString('en');
  const lines = await server.query(async (client) => {
    await client.query('select pg_stat_force_next_flush()');
    const { rows: relations } = await client.query(RELATIONS);
    const known = (await client.query(`select count(*)::int as n from webpage`)).rows[0].n;
    const kept = await columns(client, 'page_content', '');
    const fetched = await columns(
      client,
      'webpage',
      'where exists (select 1 from page_content p where p.crawl = t.crawl and p.host = t.host and p.key = t.key)',
    );
    const parts = (list) =>
      list
        .filter(([, bytes]) => bytes / pages >= 0.5)
        .map(([name, bytes]) => `${name} ${per(bytes)}`)
        .join(', ');
    return [
      `${known.toLocaleString('en')} known URLs\n`,
      table(
        ['bytes a fetched page', 'heap', 'TOAST', 'indexes', 'all', 'rows written', 'updated', 'HOT'],
        relations.map((r) => [
          r.name,
          per(r.heap),
          per(r.toast),
          per(r.indexes),
          per(r.heap + r.toast + r.indexes),
          r.inserted,
          r.updated,
          r.updated > 0 ? `${Math.round((100 * r.hot) / r.updated)} %` : '',
        ]),
      ),
      `\nColumns of page_content, bytes a page: ${parts(kept)}`,
      `Columns of webpage, bytes a page: ${parts(fetched)}`,
    ];
  });
  if (corpus.files) {
    const least = await leastBytes(server, crawlId, corpus);
    lines.push(
      `zstd 3 of a page by itself: content ${Math.round(least.content)}, text ${Math.round(least.text)} (every 40th page, ${least.counted})`,
    );
  }
  return lines.join('\n');
}
