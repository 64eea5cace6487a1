/**
 * The built-in search over real documents, with SQLite's FTS5 beside it in the same run.
 *
 *   node bench/search.mjs [documents]      after `npm run build`; the corpus is that of bench/corpus.mjs (CORPUS names its folder)
 *
 * Printed: documents a second and core that the writer takes, analysis included; bytes of the index to bytes of text; two-term
 * queries by clock and by CPU of this process; known items: how often the page whose unique title is asked for comes first, or
 * among three.
 */
import { DatabaseSync } from 'node:sqlite';
import { Searcher } from '../dist/src/search/searcher.js';
import { PostgresIndexWriter } from '../dist/src/search/index-writer.js';
import { defaultFolder } from './corpus.mjs';
import { openBench, table, where } from './database.mjs';
import { documents } from './search-documents.mjs';

const MAX = Number(process.argv[2] ?? 90_000);
const CORPUS = process.env.CORPUS ?? defaultFolder();
const PART = 500;
const QUERIES = 300;
const TITLES = 300;
const CRAWL = 1;
const WEIGHTS = [5, 3, 1.5, 1.5, 2, 1];

/** Milliseconds by clock and by CPU of what `work` does. */
async function timed(work) {
  const cpu = process.cpuUsage();
  const clock = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, clock: performance.now() - clock, cpu: (user + system) / 1000 };
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
      similarity: 'bm25f',
      expand: 'auto',
      explain: false,
      snippets: 0,
    });
    return hits.map(({ id }) => id);
  }
}

class Fts5 {
  name = 'SQLite FTS5';

  constructor() {
    this.db = new DatabaseSync(':memory:');
    this.db.exec(
      `create virtual table page using fts5 (id unindexed, title, content, content = '', contentless_unindexed = 1, tokenize = 'porter unicode61')`,
    );
    this.insert = this.db.prepare('insert into page (id, title, content) values (?, ?, ?)');
    this.query = this.db.prepare(`select id from page where page match ? order by bm25(page, 0, 5, 1) limit ?`);
  }

  add(part) {
    this.db.exec('begin');
    for (const { id, fields } of part) this.insert.run(id, fields.get('title')[0], fields.get('content')[0]);
    this.db.exec('commit');
  }

  end = () => this.db.exec(`insert into page (page) values ('optimize')`);
  bytes = () =>
    this.db.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size').get().bytes;

  search(query, limit = 10) {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    return this.query.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ id }) => id);
  }
}

/** Titles that one document alone has, and words as often as they stand in texts. */
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
    return Array.from({ length: QUERIES }, () => `${word()} ${word()}`);
  }
}

/** Builds the indexes part by part, in turn. */
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
    part = [];
  }
  await each((engine) => engine.add(part));
  await each((engine) => engine.end());
  return { questions, built, count, text };
}

async function report(engine, built, { questions, count, text }) {
  const { known, pairs } = questions;
  for (const pair of pairs.slice(0, 20)) await engine.search(pair);
  const times = [];
  for (const pair of pairs) times.push(await timed(() => engine.search(pair)));
  let [first, three] = [0, 0];
  for (const [title, id] of known) {
    const at = (await engine.search(title, 3)).indexOf(id);
    if (at === 0) first++;
    if (at >= 0) three++;
  }
  const of = (name, share) =>
    percentile(
      times.map((one) => one[name]),
      share,
    ).toFixed(1);
  const percent = (part) => `${((100 * part) / known.length).toFixed(1)} %`;
  return [
    engine.name,
    Math.round((1000 * count) / built.cpu),
    `${((100 * (await engine.bytes())) / text).toFixed(1)} %`,
    `${of('clock', 0.5)} / ${of('clock', 0.95)}`,
    `${of('cpu', 0.5)} / ${of('cpu', 0.95)}`,
    percent(first),
    percent(three),
  ];
}

console.log(`${where()}\n`);
for (const sections of [true, false]) {
  const bench = await openBench();
  try {
    const engines = [new Orbweaver(bench), new Fts5()];
    const made = await build(engines, sections);
    const rows = [];
    for (const [i, engine] of engines.entries()) rows.push(await report(engine, made.built[i], made));
    console.log(`${made.count} ${sections ? 'sections' : 'pages'}, ${(made.text / 1e6).toFixed(1)} MB of text\n`);
    const head = [
      'engine',
      'documents/s and core',
      'index / text',
      'two terms, ms p50 / p95',
      'CPU ms p50 / p95',
      'title first',
      'among three',
    ];
    console.log(`${table(head, rows)}\n`);
  } finally {
    await bench.close();
  }
}
