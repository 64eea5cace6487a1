/**
 * Parses the pages that a partition of a FETCH has written unparsed because its parser was busy. It begins when fetching has
 * ended; an attempt after an interrupted one finds the remaining pages in the table.
 */
import type { TaskWait } from '../../core/job/task-wait.js';
import type { PageParser } from '../parse/page-parser.js';
import { CurrentPage, longWait, parsePages } from '../parse/parse-chunk.js';
import { type Looked, writeParsed } from '../parse/parse.sql.js';
import type { Run } from '../step.js';
import { type ChunkQuery, countRest, nextLeftUnparsed } from './fetch.sql.js';

/** Pages read and written at once. */
const CHUNK = 16;

export class ParseRest {
  private readonly current = new CurrentPage();
  private left = 0;

  constructor(
    private readonly run: Run,
    private readonly query: ChunkQuery,
    private readonly parser: PageParser,
  ) {}

  async parseAll(): Promise<'done' | 'stopped'> {
    this.left = (await countRest(this.run.retrying, this.query)).unparsed;
    if (this.left === 0) return 'done';
    const { run, query, parser, current } = this;
    // A later attempt finds the remaining pages by their marks.
    const write = (pages: Looked[]) =>
      run.write((tx, count) => writeParsed(tx, query.crawl, pages, { whole: false, count, trace: run.trace }));
    for (const batch of query.batches) {
      const read = (cursor: Parameters<typeof nextLeftUnparsed>[2]) =>
        nextLeftUnparsed(run.retrying, { ...query, batch, limit: CHUNK }, cursor);
      if ((await parsePages(run, { parser, read, from: undefined, write, current })) === 'stopped') return 'stopped';
    }
    return 'done';
  }

  get wait(): TaskWait | null {
    return longWait(this.current, Math.max(1, this.left - this.current.done));
  }
}
