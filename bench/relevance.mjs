/**
 * How well the built-in search ranks: nDCG@10 on the collections of relevance-collections.mjs, beside plain BM25 and SQLite's
 * FTS5.
 *
 *   node bench/relevance.mjs          after `npm run build`; the corpus is that of bench/corpus.mjs (CORPUS names its folder)
 *
 * Plain BM25 (k1 1.2, b 0.75) takes words as they stand, in lower case, of title and text alike.
 */
import { fileURLToPath } from 'node:url';
import { compress } from '../dist/src/webpage/compression.js';
import { PostgresIndexWriter } from '../dist/src/search/postgres-index-writer.js';
import { Searcher } from '../dist/src/search/searcher.js';
import { defaultFolder } from './corpus.mjs';
import { openBench, table, where } from './database.mjs';
import { collections } from './relevance-collections.mjs';
import { Fts5 } from './search-peers.mjs';

const K = 10;
const PART = 200;
const WEIGHTS = [5, 3, 1.5, 1.5, 2, 1];

export function ndcg(found, relevant) {
  const gain = (at) => 1 / Math.log2(at + 2);
  const ideal = relevant.slice(0, K).reduce((sum, _, at) => sum + gain(at), 0);
  return found.slice(0, K).reduce((sum, id, at) => sum + (relevant.includes(id) ? gain(at) : 0), 0) / ideal;
}

export const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export class PlainBm25 {
  #postings = new Map();
  #lengths = [];
  #ids = [];

  add({ id, fields }) {
    const words = wordsOf(`${fields.get('title')[0]} ${fields.get('content')[0]}`);
    const doc = this.#ids.push(id) - 1;
    this.#lengths.push(words.length);
    for (const [word, { length }] of Map.groupBy(words, (word) => word)) {
      if (!this.#postings.has(word)) this.#postings.set(word, []);
      this.#postings.get(word).push([doc, length]);
    }
  }

  search(query) {
    const average = mean(this.#lengths);
    const scores = new Map();
    for (const word of wordsOf(query)) {
      const postings = this.#postings.get(word) ?? [];
      const idf = Math.log(1 + (this.#ids.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const [doc, tf] of postings) {
        const norm = 1.2 * (0.25 + (0.75 * this.#lengths[doc]) / average);
        scores.set(doc, (scores.get(doc) ?? 0) + (idf * tf * 2.2) / (tf + norm));
      }
    }
    const best = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, K);
    return best.map(([doc]) => this.#ids[doc]);
  }
}

/** Feedback reads the texts of pages, which are stored beside the index. */
export async function writeAll(pool, crawl, documents) {
  const writer = new PostgresIndexWriter(pool, crawl);
  for (let at = 0; at < documents.length; at += PART) {
    const part = documents.slice(at, at + PART).map((one) => ({ ...one, id: rowKey(one.url) }));
    await writer.write(part);
    for (const { id, fields } of part)
      await pool.query('insert into page_content (crawl, host, key, text) values ($1, $2, $3, $4)', [
        crawl,
        id.split(':')[0],
        id,
        compress(fields.get('content')[0]),
      ]);
  }
  await writer.commit();
}

/** Nutch's key of a page: its host reversed. */
function rowKey(url) {
  const { hostname, pathname } = new URL(url);
  return `${hostname.split('.').toReversed().join('.')}:http${pathname}`;
}

export const ours =
  (searcher, crawl, expand, weights = WEIGHTS) =>
  async (query) => {
    const asked = {
      crawl,
      limit: K,
      facets: [],
      bm25: { k1: 1.2, b: 0.75 },
      similarity: 'bm25f',
      collapse: true,
      explain: false,
      snippets: 0,
    };
    const { hits } = await searcher.search({ ...asked, query, weights, expand });
    return hits.map(({ url }) => url);
  };

/** nDCG@10 of each engine for each collection over some documents. */
async function measured(bench, searcher, { crawl, documents, queries }) {
  await writeAll(bench.pool, crawl, documents);
  const [bm25, fts5] = [new PlainBm25(), new Fts5()];
  for (const one of documents) bm25.add(one);
  fts5.add(documents);
  const engines = [
    (query) => bm25.search(query),
    (query) => fts5.search(query),
    ...['off', 'auto', 'on'].map((expand) => ours(searcher, crawl, expand)),
  ];
  const rows = [];
  for (const [name, asked] of Object.entries(queries)) {
    const scores = [];
    for (const search of engines) {
      const each = [];
      for (const { query, relevant } of asked) each.push(ndcg(await search(query), relevant));
      scores.push(mean(each));
    }
    const ratio = (scores[2] / scores[0]).toFixed(2);
    rows.push([name, asked.length, documents.length, ...scores.map((score) => score.toFixed(3)), ratio]);
  }
  return rows;
}

async function report() {
  console.log(`${where()}\n`);
  const bench = await openBench();
  try {
    const searcher = new Searcher(bench.pool, 134_217_728);
    const rows = [];
    for (const [at, collection] of collections(process.env.CORPUS ?? defaultFolder()).entries())
      rows.push(...(await measured(bench, searcher, { crawl: at + 1, ...collection })));
    const head = ['queries', 'number', 'pages', 'plain BM25', 'FTS5', 'expand=off', 'auto', 'on', 'off / plain BM25'];
    console.log(`nDCG@${K}\n\n${table(head, rows)}`);
  } finally {
    await bench.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await report();
