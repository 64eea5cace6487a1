/**
 * `npm run bench:storage`: the wide columns of a page (content, text, outlinks) in `webpage` itself, TOASTed out of line,
 * against a separate table: the cost of the statements that do not use them (docs/adr/0001).
 */
import { openBench, table, where } from './database.mjs';

const ROWS = 30_000;
const bench = await openBench();
const client = await bench.pool.connect();

/** Runs a statement and returns its seconds. */
async function time(text) {
  await client.query('checkpoint');
  const began = performance.now();
  await client.query(text);
  return (performance.now() - began) / 1000;
}

const hot = `crawl int, host text collate "C", key text collate "C", score float8, cash float8, rank int, status smallint,
  fetch_time timestamptz, generate_mark text, fetch_mark text, title text`;
const wide = `outlink_keys text[], text bytea, content bytea`;
/** Incompressible bytes, like compressed content; small values stay in line, like those of small pages. */
const bytes = (i) =>
  `(select string_agg(sha512((${i} || ':' || b)::bytea), '') from generate_series(1, 4 + ${i} % 200) b)`;
const values = `1, 'com.host' || i % 500, 'com.host' || i % 500 || ':https/path/number/' || i, 1.0, 1.0, 0, 1, now(), null, null, 'A title ' || i`;
const links = `(select array_agg('com.host' || i % 500 || ':https/path/number/' || l) from generate_series(i, i + 25) l)`;

const designs = {
  'one table': {
    make: [
      `create table one (${hot}, ${wide}, primary key (crawl, host, key)) with (fillfactor = 85)`,
      'alter table one alter content set storage external',
      'alter table one alter text set storage external',
    ],
    write: [
      `insert into one select ${values}, ${links}, ${bytes('i')}, ${bytes('i')} from generate_series(1, ${ROWS}) i`,
    ],
    page: 'one',
    all: ['one'],
  },
  apart: {
    make: [
      `create table page (${hot}, primary key (crawl, host, key)) with (fillfactor = 85)`,
      `create table wide (crawl int, host text collate "C", key text collate "C", ${wide}, primary key (crawl, host, key))`,
      'alter table wide alter content set storage external',
      'alter table wide alter text set storage external',
    ],
    write: [
      `insert into page select ${values} from generate_series(1, ${ROWS}) i`,
      `insert into wide select 1, 'com.host' || i % 500, 'com.host' || i % 500 || ':https/path/number/' || i, ${links}, ${bytes('i')}, ${bytes('i')} from generate_series(1, ${ROWS}) i`,
    ],
    page: 'page',
    all: ['page', 'wide'],
  },
};

const rows = [];
try {
  for (const [name, { make, write, page, all }] of Object.entries(designs)) {
    for (const text of make) await client.query(text);
    let written = 0;
    for (const text of write) written += await time(text);
    await client.query(`vacuum (analyze) ${all.join(', ')}`);
    const marked = await time(`update ${page} set generate_mark = 'b', rank = null`);
    await client.query(`vacuum ${page}`);
    const fetched = await time(`update ${page} set fetch_mark = 'b', status = 2, fetch_time = now()`);
    await client.query(`vacuum ${page}`);
    const scored = await time(`update ${page} set score = score + 0.1, cash = cash + 0.1`);
    const walked = await time(`select sum(score) from ${page}`);
    const {
      rows: [size],
    } = await client.query(
      `select ${all.map((t) => `pg_total_relation_size('${t}')`).join(' + ')} as total, pg_relation_size('${page}') as heap`,
    );
    rows.push(
      [name, written, marked, fetched, scored, walked]
        .map((n) => (typeof n === 'number' ? n.toFixed(2) : n))
        .concat(Math.round(size.total / ROWS), Math.round(size.heap / ROWS)),
    );
  }
} finally {
  client.release();
  await bench.close();
}
console.log(`${ROWS.toLocaleString('en')} pages; seconds; ${where()}\n`);
console.log(
  table(
    ['wide columns', 'write', 'mark', 'fetch state', 'score', 'walk', 'bytes/page in all', 'hot heap bytes/page'],
    rows,
  ),
);
