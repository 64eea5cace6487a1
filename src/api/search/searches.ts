/** Runs searches: a few at once, so that no key can occupy the API, over one cache of index data. */
import { Injectable } from '@nestjs/common';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { ConfStore } from '../../conf/conf.store.js';
import type { Conf } from '../../core/conf/properties.js';
import type { FieldWeights } from '../../core/search/score/bm25f.js';
import { type FacetName } from '../../core/search/score/facets.js';
import { indexedCrawls } from '../../search/segment-reading.sql.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { SearchCursor, SearchHit } from '../../core/search/search-request.js';
import { Searcher } from '../../search/searcher.js';
import { ClientSemaphore } from '../access/client-semaphore.js';
import { Database } from '../database.js';
import { confIdUnknown } from '../problem.js';
import { valueRefused } from '../refused-fields.js';
import { requireBatch, requireCrawl } from '../request/require-crawl.js';
import type { SearchAnswer, SearchHitDto, SearchQuery } from './search.dto.js';
import { crawlNotNamed, searchesTooMany } from './search.problems.js';

/** A search takes some milliseconds of CPU time, and yields to the event loop between its steps. */
const LIMITS = { atOnce: 2, max: 64, maxPerKey: 8, maxPerAddress: 32, reserved: 16 };
/** Maximum number of crawls that a problem names. */
const NAMED = 5;

@Injectable()
export class Searches {
  private readonly semaphore = new ClientSemaphore(LIMITS, searchesTooMany);

  constructor(
    private readonly database: Database,
    private readonly confs: ConfStore,
    private readonly searcher: Searcher,
  ) {}

  /**
   * Throws TOO_MANY_SEARCHES, CRAWL_UNKNOWN, CRAWL_NOT_NAMED, BATCH_UNKNOWN, CONFIG_ID_UNKNOWN, FIELDS_INVALID.
   * @param gone aborted when the client disconnects: a search that waits is not started
   */
  async answer(client: LimitedClient, query: SearchQuery, gone: AbortSignal): Promise<SearchAnswer> {
    const after = query.cursor ? cursorOf(query.cursor) : undefined;
    const known = await this.confs.find(query.confId);
    if (known === undefined) throw confIdUnknown(query.confId);
    const crawl = await this.crawlOf(query.crawlId);
    if (query.segment) await requireBatch(this.database.pool, crawl.id, query.segment);
    const request = {
      crawl: crawl.id,
      query: query.q,
      ...(query.segment && { segment: query.segment }),
      limit: query.limit,
      ...(after && { after }),
      facets: query.facets.split(',').filter((name) => name !== '') as FacetName[],
      weights: weightsOf(known.conf),
      bm25: { k1: known.conf['search.bm25.k1'], b: known.conf['search.bm25.b'] },
      similarity: query.similarity,
      // The scores of Lucene are expected for the query as given, not for an expanded one.
      expand: query.similarity !== 'bm25f' && query.expand === 'auto' ? ('off' as const) : query.expand,
      collapse: query.collapse,
      explain: query.explain,
      snippets: query.snippets,
    };
    const result = await this.semaphore.run(client, () => this.searcher.search(request), gone);
    return {
      crawlId: crawl.name,
      query: result.query,
      hits: result.hits.map(hitOf),
      total: result.total,
      exact: result.isExact,
      cursor: result.next && formatCursor(result.next, result.generation),
      facets: Object.fromEntries(Object.entries(result.facets).map(([name, counts]) => [name, [...counts]])),
      notes: [...result.notes],
      didYouMean: result.didYouMean,
      expansion: { reason: result.expansion.reason, added: [...result.expansion.added] },
      generation: result.generation,
    };
  }

  private async crawlOf(named: string | undefined): Promise<{ id: number; name: string }> {
    const { pool } = this.database;
    if (named !== undefined) return { id: await requireCrawl(pool, named), name: named };
    const crawls = await indexedCrawls(pool, NAMED);
    if (crawls.length === 1) return crawls[0]!;
    throw crawlNotNamed(crawls.map(({ name }) => `"${name}"`).join(', '));
  }
}

/** In the order of `searchFields`. */
const weightsOf = (conf: Conf): FieldWeights => [
  conf['search.boost.title'],
  conf['search.boost.anchor'],
  conf['search.boost.url'],
  conf['search.boost.host'],
  conf['search.boost.headings'],
  conf['search.boost.content'],
];

function hitOf({ language, type, fetchedAt, explanation, ...hit }: SearchHit): SearchHitDto {
  return {
    id: hit.id,
    url: hit.url,
    pageUrl: unreverseUrl(hit.id),
    title: hit.title,
    titleMarks: [...hit.titleMarks],
    snippets: hit.snippets.map(({ text, marks }) => ({ text, marks: [...marks] })),
    duplicates: hit.duplicates,
    score: hit.score,
    host: hit.host,
    lang: language || null,
    type: type || null,
    fetchTime: fetchedAt === null ? null : new Date(fetchedAt).toISOString(),
    ...(explanation && { explanation }),
  };
}

const formatCursor = ({ score, id, rank }: SearchCursor, generation: string): string =>
  `${score}:${generation}:${rank}:${id}`;

/** Throws FIELDS_INVALID. */
function cursorOf(cursor: string): SearchCursor {
  const [, score, rank, id] =
    /^(\d{1,21}(?:\.\d{1,25})?(?:e[+-]\d{1,3})?):\d{1,12}\.\d{1,15}:(\d{1,10}):(.+)$/s.exec(cursor) ?? [];
  if (score === undefined || rank === undefined || id === undefined)
    throw valueRefused('cursor', cursor, 'the cursor of an answer');
  return { score: Number(score), id, rank: Number(rank) };
}
