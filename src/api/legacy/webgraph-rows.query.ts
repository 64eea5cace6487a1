/**
 * The web graph for the readers of 1.x: nodes of `webgraph_node`, links of `page_content` and `inlink`. Chunks are read by the
 * primary keys, each after the last row of the previous one. Values are strings, as in Nutch.
 */
import type { Pool } from 'pg';
import { unreverseUrl } from '../../core/url/row-key.js';
import { slowRows } from '../../db/slow-rows.js';
import { sql } from '../../db/sql.js';
import { javaFloat } from '../../core/java-float.js';
import { fetchTimesByKey } from '../../webpage/fetch-times.sql.js';
import { MIN_KEY_HASH } from '../../webpage/page-key.sql.js';

/** The crawl whose rows are read; the signal cancels the running statement. */
export interface ReadOf {
  pool: Pool;
  crawl: number;
  signal: AbortSignal;
}

export type TextRow = Record<string, string>;

const ROWS_AT_ONCE = 1_000;
/** Pages whose links are read at once: each may have thousands. */
const LINKING_AT_ONCE = 20;

/** Link types of LinkDatum. */
const INLINK = '1';
const OUTLINK = '2';

interface NodeRow {
  host: string;
  keyHash: string;
  key: string;
  inlinks: number | null;
  outlinks: number | null;
  linkRank: number | null;
}

/** Nodes with their numbers of links and their link rank. As in 1.x, pages without a link are not nodes. */
export async function* nodeRows({ pool, crawl, signal }: ReadOf): AsyncGenerator<TextRow[]> {
  for (let after = { host: '', keyHash: MIN_KEY_HASH }; ;) {
    const nodes = await slowRows<NodeRow>(
      pool,
      sql`
      select host, key_hash::text as "keyHash", key, num_inlinks as inlinks, num_outlinks as outlinks, link_rank as "linkRank"
        from webgraph_node
       where crawl = ${crawl} and (host, key_hash) > (${after.host}::text, ${after.keyHash}::bigint)
       order by host, key_hash limit ${ROWS_AT_ONCE}`,
      signal,
    );
    yield nodes.filter(({ inlinks }) => inlinks !== null).map(nodeRow);
    if (nodes.length < ROWS_AT_ONCE) return;
    after = nodes.at(-1)!;
  }
}

function nodeRow({ key, inlinks, outlinks, linkRank }: NodeRow): TextRow {
  const score = linkRank ?? 0;
  return {
    key_url: unreverseUrl(key),
    num_inlinks: String(inlinks ?? 0),
    num_outlinks: String(outlinks ?? 0),
    inlink_score: javaFloat(score),
    // Node.getOutlinkScore(): the score that each of its links contributes.
    outlink_score: javaFloat(outlinks ? score / outlinks : score),
    metadata: '',
  };
}

interface LinkingPage {
  host: string;
  key: string;
  targets: string[];
  anchors: (string | null)[] | null;
}

/** Links by source page, in the order of row keys and then as on the page. */
export async function* outlinkRows({ pool, crawl, signal }: ReadOf): AsyncGenerator<TextRow[]> {
  for (let after = { host: '', key: '' }; ;) {
    const pages = await slowRows<LinkingPage>(
      pool,
      sql`
      select host, key, outlink_keys as targets, outlink_anchors as anchors from page_content
       where crawl = ${crawl} and (host, key) > (${after.host}::text, ${after.key}::text) and cardinality(outlink_keys) > 0
       order by host, key limit ${LINKING_AT_ONCE}`,
      signal,
    );
    const times = await fetchTimesByKey(pool, crawl, pages);
    for (const page of pages) yield rowsOfPage(page, times.get(page.key));
    if (pages.length < LINKING_AT_ONCE) return;
    after = pages.at(-1)!;
  }
}

const rowsOfPage = ({ key, targets, anchors }: LinkingPage, fetchedAt: Date | undefined): TextRow[] =>
  targets.map((target, at) => ({
    key_url: unreverseUrl(key),
    timestamp: String(fetchedAt?.getTime() ?? 0),
    score: '0.0',
    anchor: anchors?.[at] ?? '',
    linktype: OUTLINK,
    url: unreverseUrl(target),
  }));

interface InlinkRow {
  host: string;
  key: string;
  source: string;
  anchor: string | null;
  score: number;
}

/** Links by target page, as INVERTLINKS and UPDATEDB stored them, without their time. */
export async function* inlinkRows({ pool, crawl, signal }: ReadOf): AsyncGenerator<TextRow[]> {
  for (let after = { host: '', key: '', source: '' }; ;) {
    const inlinks = await slowRows<InlinkRow>(
      pool,
      sql`
      select host, key, source, anchor, score from inlink
       where crawl = ${crawl} and (host, key, source) > (${after.host}::text, ${after.key}::text, ${after.source}::text)
       order by host, key, source limit ${ROWS_AT_ONCE}`,
      signal,
    );
    yield inlinks.map(({ key, source, anchor, score }) => ({
      key_url: unreverseUrl(key),
      timestamp: '0',
      score: javaFloat(score),
      anchor: anchor ?? '',
      linktype: INLINK,
      url: unreverseUrl(source),
    }));
    if (inlinks.length < ROWS_AT_ONCE) return;
    after = inlinks.at(-1)!;
  }
}
