/**
 * The built-in search over real documents, compared with SQLite's FTS5 and MiniSearch in the same run.
 *
 *   node bench/search.mjs [documents]      after `npm run build`; the corpus is that of bench/corpus.mjs (CORPUS names its
 *                                          folder)
 *
 * Printed: documents per second and core of the writer, including analysis; bytes of the index per byte of text; elapsed time and
 * CPU time of this process and of PostgreSQL for two-term queries: the first 300, while V8 still compiles, and the next 300;
 * known items: how often the page with the unique title of the query is the first hit, or among the first three. Ours returns
 * the default result of GET /v1/search: two snippets of the stored text per hit, marked titles, near duplicates collapsed and
 * a better spelling; the others return ids. Engines alternate per query.
 */
import { Searcher } from '../dist/src/search/searcher.js';
import { PostgresIndexWriter } from '../dist/src/search/postgres-index-writer.js';
import { compress } from '../dist/src/webpage/compression.js';
import { defaultFolder } from './corpus.mjs';
import { backends } from './cpu.mjs';
import { openBench, table, where } from './database.mjs';
import { documents } from './search-documents.mjs';
import { Fts5, Mini } from './search-peers.mjs';

const MAX = Number(process.argv[2] ?? 90_000);
const CORPUS = process.env.CORPUS ?? defaultFolder();
const PART = 500;
const QUERIES = 300;
const TITLES = 300;
const CRAWL = 1;
const WEIGHTS = [5, 3, 1.5, 1.5, 2, 1];

/** Elapsed milliseconds of `work`, and CPU milliseconds of this process and of PostgreSQL. */
async function timed(work) {
  const postgres = backends(process.pid);
  const cpu = process.cpuUsage();
  const clock = performance.now();
  await work();
  const took = performance.now() - clock;
  const { user, system } = process.cpuUsage(cpu);
  return { clock: took, cpu: (user + system) / 1000 + postgres.milliseconds() };
}

const percentile = (all, share) =>
  all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))];

/** The same random numbers in every run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

class Orbweaver {
  name = 'orbweaver';

  constructor(bench) {
    this.pool = bench.pool;
    this.writer = new PostgresIndexWriter(bench.pool, CRAWL);
    this.searcher = new Searcher(bench.pool, 134_217_728);
  }

  add = (part) => this.writer.write(part);

  /** Texts are stored beside the index, as by FETCH and PARSE. */
  async keepTexts(part) {
    await this.pool.query(
      `insert into page_content (crawl, host, key, text)
       select ${CRAWL}, p.host, p.key, p.text from unnest($1::text[], $2::text[], $3::bytea[]) as p (host, key, text)`,
      [
        part.map(({ id }) => id.slice(0, id.indexOf(':'))),
        part.map(({ id }) => id),
        part.map(({ fields }) => compress(fields.get('content')[0])),
      ],
    );
  }

  end = () => this.writer.commit();

  async bytes() {
    const { rows } = await this.pool.query(
      `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relname like 'search\\_%' and relkind = 'r'`,
    );
    return rows[0].bytes;
  }

  async search(query, limit = 10) {
    const { hits } = await this.searcher.search({
      crawl: CRAWL,
      query,
      limit,
      facets: [],
      weights: WEIGHTS,
      bm25: { k1: 1.2, b: 0.75 },
      similarity: 'bm25f',
      expand: 'auto',
      collapse: true,
      explain: false,
      snippets: 2,
    });
    return hits.map(({ id }) => id);
  }
}

/** Titles of only one document, and words by their frequency in texts. */
class Questions {
  titles = new Map();
  words = [];
  random = numbers(7);

  take({ id, fields }) {
    const [title] = fields.get('title');
    this.titles.set(title, this.titles.has(title) ? null : id);
    const words = fields.get('content')[0].match(/\p{L}{4,}/gu) ?? [];
    if (words.length > 0) this.words.push(words[Math.floor(this.random() * words.length)]);
  }

  get known() {
    const unique = [...this.titles].filter(([title, id]) => id !== null && title.split(/\s+/).length > 1);
    const step = Math.max(1, Math.floor(unique.length / TITLES));
    return unique.filter((_, i) => i % step === 0).slice(0, TITLES);
  }

  get pairs() {
    const word = () => this.words[Math.floor(this.random() * this.words.length)];
    return Array.from({ length: 2 * QUERIES }, () => `${word()} ${word()}`);
  }
}

/** Builds the indexes part by part, alternating between engines. */
async function build(engines, sections) {
  const questions = new Questions();
  const built = engines.map(() => ({ cpu: 0, clock: 0 }));
  let [count, text] = [0, 0];
  const each = async (work) => {
    for (const [i, engine] of engines.entries()) {
      const { cpu, clock } = await timed(() => work(engine));
      built[i].cpu += cpu;
      built[i].clock += clock;
    }
  };
  let part = [];
  for (const document of documents(CORPUS, { sections, max: MAX })) {
    questions.take(document);
    text += Buffer.byteLength(document.fields.get('content')[0]);
    count++;
    part.push(document);
    if (part.length < PART) continue;
    await each((engine) => engine.add(part));
    await engines[0].keepTexts?.(part);
    part = [];
  }
  await each((engine) => engine.add(part));
  await engines[0].keepTexts?.(part);
  await each((engine) => engine.end());
  return { questions, built, count, text };
}

/** Times of all engines for each query, one engine after the other, in an order that changes with each query. */
async function answers(engines, pairs) {
  for (const pair of pairs.slice(0, 20)) for (const engine of engines) await engine.search(pair);
  const times = new Map(engines.map((engine) => [engine, []]));
  for (const [at, pair] of pairs.entries()) {
    const turned = engines.map((_, i) => engines[(at + i) % engines.length]);
    for (const engine of turned) times.get(engine).push(await timed(() => engine.search(pair)));
  }
  return times;
}

async function report(engine, { built, times }, { questions, count, text }) {
  const { known } = questions;
  let [first, three] = [0, 0];
  for (const [title, id] of known) {
    const at = (await engine.search(title, 3)).indexOf(id);
    if (at === 0) first++;
    if (at >= 0) three++;
  }
  const of = (some, name) =>
    [0.5, 0.95]
      .map((share) =>
        percentile(
          some.map((one) => one[name]),
          share,
        ).toFixed(1),
      )
      .join(' / ');
  const percent = (part) => `${((100 * part) / known.length).toFixed(1)} %`;
  return [
    engine.name,
    Math.round((1000 * count) / built.cpu),
    `${((100 * (await engine.bytes())) / text).toFixed(1)} %`,
    of(times.slice(0, QUERIES), 'clock'),
    of(times.slice(0, QUERIES), 'cpu'),
    of(times.slice(QUERIES), 'cpu'),
    percent(first),
    percent(three),
  ];
}

console.log(`${where()}\n`);
for (const sections of [true, false]) {
  const bench = await openBench();
  try {
    const rows = [];
    let made;
    // MiniSearch is last: garbage collection of its hundreds of megabytes would count for the others.
    for (const engines of [[new Orbweaver(bench), new Fts5()], [new Mini()]]) {
      made = await build(engines, sections);
      const times = await answers(engines, made.questions.pairs);
      for (const [i, engine] of engines.entries())
        rows.push(await report(engine, { built: made.built[i], times: times.get(engine) }, made));
    }
    console.log(`${made.count} ${sections ? 'sections' : 'pages'}, ${(made.text / 1e6).toFixed(1)} MB of text\n`);
    const head = [
      'engine',
      'documents/s and core',
      'index / text',
      'two terms, ms p50 / p95',
      'CPU ms p50 / p95',
      `after ${QUERIES} queries`,
      'title first',
      'among three',
    ];
    console.log(`${table(head, rows)}\n`);
  } finally {
    await bench.close();
  }
}
