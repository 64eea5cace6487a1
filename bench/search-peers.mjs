/** Other search engines for comparison: SQLite's FTS5 and MiniSearch, both in this process and in memory. */
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import MiniSearch from 'minisearch';

const TITLE_WEIGHT = 5;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const titleOf = ({ fields }) => fields.get('title')[0];
const contentOf = ({ fields }) => fields.get('content')[0];

/** Porter's stemmer, no stop words; texts are not stored. */
export class Fts5 {
  name = 'SQLite FTS5';

  constructor() {
    this.db = new DatabaseSync(':memory:');
    this.db.exec(
      `create virtual table page using fts5 (id unindexed, title, content, content = '', contentless_unindexed = 1, tokenize = 'porter unicode61')`,
    );
    this.insert = this.db.prepare('insert into page (id, title, content) values (?, ?, ?)');
    this.query = this.db.prepare(
      `select id from page where page match ? order by bm25(page, 0, ${TITLE_WEIGHT}, 1) limit ?`,
    );
  }

  add(part) {
    this.db.exec('begin');
    for (const one of part) this.insert.run(one.id, titleOf(one), contentOf(one));
    this.db.exec('commit');
  }

  end = () => this.db.exec(`insert into page (page) values ('optimize')`);
  bytes = () =>
    this.db.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size').get().bytes;

  search(query, limit = 10) {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    return this.query.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ id }) => id);
  }
}

/** Used bytes of the heap. */
function heap() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Without a stemmer, as it has none. Its size is that on the heap: it searches no other form. */
export class Mini {
  name = 'MiniSearch (heap)';

  constructor() {
    this.before = heap();
    this.index = new MiniSearch({ fields: ['title', 'content'], searchOptions: { boost: { title: TITLE_WEIGHT } } });
  }

  add = (part) => this.index.addAll(part.map((one) => ({ id: one.id, title: titleOf(one), content: contentOf(one) })));
  end = () => undefined;
  bytes = () => heap() - this.before;

  search(query, limit = 10) {
    return this.index
      .search(query)
      .slice(0, limit)
      .map(({ id }) => id);
  }
}
