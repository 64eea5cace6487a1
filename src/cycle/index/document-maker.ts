/** Makes documents of pages, and decides what happens to each page. */
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { type Blacklist, compileBlacklist } from '../../core/indexing/blacklist.js';
import type { IndexDocument } from '../../core/indexing/index-document.js';
import type { IndexPage } from '../../core/indexing/index-page.js';
import { addField } from '../../core/indexing/indexing-filter.js';
import { reverseUrl } from '../../core/url/row-key.js';
import { withRules } from '../../plugin/extension-points.js';
import { type MakeDocument, makeIndexing } from '../../plugin/indexing-filters.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import type { IndexArgs } from './index.args.js';
import { type ReadIndexPage, indexedBatch } from './read-pages.js';
import { type Deletes, INDEXED, verdictOf } from '../../core/indexing/index-verdict.js';
import type { PageKey } from '../../core/page/page-row.js';

/** The result for a page. */
export interface MadeDocument extends PageKey {
  /** Of its document: with `normalize` it may have another one than the row key. */
  id: string;
  /** Null: no document is sent. */
  document: IndexDocument | null;
  /** Its document is deleted. */
  deletes: boolean;
  /** Of Nutch 1.x (`IndexerStatus`). */
  counter: string;
  /** The new index mark of the page. */
  mark: string | null;
}

export class DocumentMaker {
  private readonly makeDocument: MakeDocument;
  private readonly rules: UrlRules | undefined;
  private readonly deletes: Deletes;
  private readonly blacklist: Blacklist;

  constructor(
    private readonly conf: Conf,
    private readonly args: IndexArgs,
  ) {
    this.makeDocument = makeIndexing(conf);
    this.rules = args.normalize === true || args.filter === true ? makeUrlRules(conf) : undefined;
    this.blacklist = withRules('index.blacklist', conf['index.blacklist'], compileBlacklist);
    this.deletes = {
      gone: args.deleteGone ?? conf['indexer.delete'],
      noindex: conf['indexer.delete.robots.noindex'],
      skipNotModified: conf['indexer.skip.notmodified'],
    };
  }

  make({ row, page }: ReadIndexPage): MadeDocument {
    const { host, key, status, parsed, isSettled } = row;
    const admitted = this.admitted(page);
    const base = { host, key, id: admitted?.key ?? key, mark: indexedBatch(row) ?? '-' };
    const verdict = verdictOf({ status, parsed, isSettled, robots: page.metadata['robots'] ?? '' }, this.deletes);
    if (verdict.do !== 'add')
      return { ...base, document: null, deletes: verdict.do === 'delete', counter: verdict.counter };
    if (this.isListed(page)) return { ...base, document: null, deletes: true, counter: 'deleted (blacklist)' };
    if (admitted === null) return { ...base, document: null, deletes: false, counter: 'skipped (URL filters)' };
    const document = this.makeDocument(admitted);
    if (document === null) return { ...base, document, ...this.dropped() };
    if (page.content !== null) this.addContent(document, page.content);
    return { ...base, document, deletes: false, counter: INDEXED };
  }

  /** Whether the URL of a page, or its representative URL, is on the list. */
  private isListed({ url, representative }: IndexPage): boolean {
    return this.blacklist(url) !== null || (url !== representative && this.blacklist(representative) !== null);
  }

  private dropped(): Pick<MadeDocument, 'deletes' | 'counter'> {
    const deletes = this.conf['indexer.delete.skipped.by.indexingfilter'];
    return { deletes, counter: `${deletes ? 'deleted' : 'skipped'} (IndexingFilter)` };
  }

  /** The page under its URL by the present rules; null if they refuse it. */
  private admitted(page: IndexPage): IndexPage | null {
    if (this.rules === undefined) return page;
    const { normalize = false, filter = false } = this.args;
    const admitted = this.rules.admit(page.url, 'indexer', { normalize, filter });
    if ('rejected' in admitted) return null;
    if (admitted.url === page.url) return page;
    const representative = page.representative === page.url ? admitted.url : page.representative;
    return { ...page, key: reverseUrl(admitted.url), url: admitted.url, representative };
  }

  private addContent(document: IndexDocument, content: Uint8Array): void {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    addField(document, 'binaryContent', bytes.toString(this.args.base64 === true ? 'base64' : 'utf8'));
  }
}
