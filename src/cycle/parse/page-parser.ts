/**
 * Parses fetched pages, for PARSE and for FETCH with `fetcher.parse`: both produce the same row.
 *
 * All pages of a host have the same navigation links, so the verdicts of the URL rules on links are cached for the
 * task, within bounds.
 */
import type { Admission, AdmitOptions, UrlRules } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import type { FoundLink } from '../../core/html/link-collector.js';
import { type DropReason, type KeptOutlinks, type OutlinkProps, keepOutlinks } from '../../core/page/outlinks.js';
import { parsePage } from '../../core/page/parse-page.js';
import { PARSE_MAJOR, PARSE_MINOR, parseSuccess } from '../../core/page/parse-status.js';
import { andThen, type ParseChain, type ParsedPage, type ParseProps } from '../../core/page/parser.js';
import { chooseRepresentative } from '../../core/url/representative.js';
import { reverseUrl } from '../../core/url/row-key.js';
import { storable, storableStart, storableTexts } from '../../db/sql.js';
import { basicNormalizer } from '../../plugin/builtin/urlnormalizer-basic.js';
import { activeForParsing, makeParseChain } from '../../plugin/parse-chain.js';
import { type Scoring, makeScoring } from '../../plugin/scoring-filters.js';
import type { Count } from '../step.js';
import { compress } from '../../webpage/compression.js';
import type { ParsedColumns } from '../parsed-page.sql.js';
import { LINKS_KEY } from '../passed-metadata.js';
import { type RedirectVerdict, judgeRedirect } from '../../core/url/redirect-rules.js';
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { robotNames } from '../../core/robots/robot-names.js';

export interface PageToParse {
  url: string;
  contentType: string | null;
  truncated: boolean;
  /** Why its content cannot be read. */
  unreadable?: string | undefined;
  /** Its `X-Robots-Tag` headers, one a line; null without any. */
  robotsTag: string | null;
  /** The URL that represents the redirects that have led to it; null without any. */
  representative?: string | null;
  contentLanguage?: string | null;
}

/** A link as it was found, and the verdict on it. */
export interface JudgedLink {
  readonly url: string;
  readonly anchor: string;
  /** The element that contains it; absent in formats without elements. */
  readonly tag?: string;
  /** The URL that is kept; null for a link that is dropped. */
  readonly keptAs: string | null;
  /** Null for a link that is kept. `refresh`: the page is a redirect, and its links do not count. */
  readonly dropped: DropReason | 'refresh' | null;
}

/** The result of PARSE for a page, link by link. */
export interface ExplainedPage {
  readonly parsed: ParsedPage;
  readonly links: readonly JudgedLink[];
}

/** Delay from which a meta refresh is a permanent redirect (Nutch `PERM_REFRESH_TIME`). */
const PERMANENT_FROM_S = 5;
/** Verdicts on links cached per task. */
const MAX_VERDICTS = 50_000;

export class PageParser {
  private readonly verdicts = new Map<string, string | null>();
  /** Row keys of the URLs that were kept. */
  private readonly keys = new Map<string, string>();
  /** Distinct links refused as traps since the last page, by the limit they broke. */
  private readonly trapped = new Map<string, number>();
  private readonly admitOptions: AdmitOptions;
  /** Whether links that differ only in their fragment have one verdict: because the first normalizer drops it. */
  private readonly dropsFragments: boolean;
  private readonly props: ParseProps;
  private readonly outlinkProps: OutlinkProps;
  private readonly explaining: ParseProps;
  private readonly pageScore: Scoring['pageScore'];
  private readonly chain: ParseChain;

  constructor(
    private readonly conf: Conf,
    private readonly rules: UrlRules,
    switches: { filter?: boolean; normalize?: boolean } = {},
  ) {
    this.props = { ...conf, plugins: activeForParsing(conf), robotNames: new Set(robotNames(conf)) };
    this.outlinkProps = {
      ...conf,
      isExempt: (from, to) => rules.exempt(from, to).accepted,
      schemes: rules.schemes,
    };
    this.explaining = { ...this.props, allFacts: true };
    this.chain = makeParseChain(conf);
    this.pageScore = makeScoring(conf).pageScore;
    this.admitOptions = {
      filter: switches.filter ?? conf['parse.filter.urls'],
      normalize: switches.normalize ?? conf['parse.normalize.urls'],
    };
    this.dropsFragments = this.admitOptions.normalize && rules.normalizersOf('outlink')[0]?.id === basicNormalizer.id;
  }

  /**
   * The columns of a page: at once, or as a promise if a parser takes long. Never throws on any bytes. `count`
   * receives the outcome and the dropped links.
   */
  parse(content: Uint8Array, page: PageToParse, count: Count): ParsedColumns | Promise<ParsedColumns> {
    return andThen(this.read(content, page), (parsed) => this.written(parsed, page, count));
  }

  /**
   * The result of `parse` for the page, with the verdict on each link in the order of the page, including links that it asks
   * not to follow. Never throws, unless the rules do.
   */
  async explain(content: Uint8Array, page: PageToParse): Promise<ExplainedPage> {
    const parsed = await this.read(content, page, this.explaining);
    if (parsed.status.minor === PARSE_MINOR.redirect)
      return { parsed, links: parsed.outlinks.map((link) => ({ ...judged(link, 'refresh'), keptAs: null })) };
    const { kept, verdicts } = this.judge(parsed, page);
    const urls = kept.values();
    const links = parsed.outlinks.map((link, at) => {
      const dropped = verdicts[at] ?? null;
      return { ...judged(link, dropped), keptAs: dropped === null ? (urls.next().value?.url ?? null) : null };
    });
    return { parsed, links };
  }

  /** The verdict of the URL rules on a link. */
  admission(url: string): Admission {
    return this.rules.admit(url, 'outlink', this.admitOptions);
  }

  private read(content: Uint8Array, page: PageToParse, props = this.props): ParsedPage | Promise<ParsedPage> {
    return andThen(parsePage(content, { ...page, now: Date.now() }, props, this.chain), (parsed) =>
      this.isIgnored(parsed, page) ? { ...parsed, refresh: null, status: parseSuccess() } : parsed,
    );
  }

  /** Whether the page has a meta refresh to itself, or to no usable URL: then it is a page like any other. */
  private isIgnored({ status, refresh }: ParsedPage, { url }: PageToParse): boolean {
    if (refresh === null || status.major !== PARSE_MAJOR.success || status.minor !== PARSE_MINOR.redirect) return false;
    const { refused } = this.judgeRefresh(refresh.url, url);
    return refused === 'self' || refused === 'location';
  }

  /** Adds the value of the content, if a scoring filter computes it. */
  private written(parsed: ParsedPage, page: PageToParse, count: Count): ParsedColumns {
    const columns = this.columnsOf(parsed, page, count);
    if (this.pageScore === null || !columns.parsed) return columns;
    return { ...columns, contentScore: this.pageScore({ ...parsed, url: page.url }, 0) };
  }

  private columnsOf(parsed: ParsedPage, page: PageToParse, count: Count): ParsedColumns {
    count('ParserStatus', STATUS_NAMES[parsed.status.major] ?? 'failed');
    if (parsed.status.major !== PARSE_MAJOR.success) return this.columns(parsed, [], { parsed: false });
    if (parsed.status.minor === PARSE_MINOR.redirect) {
      const { url, seconds } = parsed.refresh!;
      const target = this.redirectTarget(url, page.url);
      const links = target === null ? [] : [{ url: target, anchor: '' }];
      const columns = this.columns({ ...parsed, text: '' }, links, { parsed: true });
      if (target === null) return columns;
      return {
        ...columns,
        reprUrl: chooseRepresentative(page.representative ?? page.url, target, seconds < PERMANENT_FROM_S),
      };
    }
    const { kept, dropped } = this.judge(parsed, page);
    for (const [reason, n] of Object.entries(dropped)) count('ParserOutlinksDropped', reason, n);
    for (const [limit, n] of this.trapped) count('ParserTraps', limit, n);
    this.trapped.clear();
    count('ParserOutlinks', 'kept', kept.length);
    const counted: Record<string, string> = this.conf['db.score.count.filtered']
      ? { [LINKS_KEY]: String(kept.length + leftOut(dropped)) }
      : {};
    const tagsName = this.conf['parser.html.outlinks.htmlnode_metadata_name'];
    const metadata = { ...parsed.metadata, ...counted };
    if (tagsName === '' || kept.length === 0) return this.columns({ ...parsed, metadata }, kept, { parsed: true });
    const tags = kept.map(({ tag }) => tag ?? '').join('\t');
    return this.columns({ ...parsed, metadata: { ...metadata, [tagsName]: tags } }, kept, { parsed: true });
  }

  private judge(parsed: ParsedPage, page: PageToParse): KeptOutlinks {
    return keepOutlinks(parsed.outlinks, page, this.outlinkProps, (url) => this.admit(url));
  }

  private columns(
    parsed: ParsedPage,
    links: readonly { url: string; anchor: string }[],
    { parsed: ok }: { parsed: boolean },
  ): ParsedColumns {
    const text = this.conf['parser.store.text'] ? storable(parsed.text) : '';
    const [title, ...outlinkAnchors] = storableTexts([parsed.title, ...links.map(({ anchor }) => anchor)]);
    return {
      title: ok ? title! : null,
      signature: parsed.signature ?? null,
      parseMajor: parsed.status.major,
      parseMinor: parsed.status.minor,
      parseArgs: parsed.status.args.map((arg) => storableStart(arg, STORED_LENGTHS.statusArg)),
      parsed: ok,
      reprUrl: null,
      metadata: Object.fromEntries(
        Object.entries(parsed.metadata).map(([name, value]) => [storable(name), storable(value)]),
      ),
      text: text === '' ? null : compress(text),
      textLength: text.length,
      charset: parsed.charset === null ? null : storable(parsed.charset),
      outlinkKeys: links.map(({ url }) => this.keys.get(url) ?? reverseUrl(url)),
      outlinkAnchors,
    };
  }

  /** The target of a meta refresh, judged like the Location of an answer (as in Nutch 1.x); null if it is refused. */
  redirectTarget(target: string, from: string): string | null {
    const { refused, admission } = this.judgeRefresh(target, from);
    return refused !== null || admission === undefined || 'rejected' in admission ? null : admission.url;
  }

  private judgeRefresh(target: string, from: string): RedirectVerdict {
    return judgeRedirect({ url: from, key: reverseUrl(from) }, target, { conf: this.conf, rules: this.rules });
  }

  private admit(link: string): string | null {
    const url = this.dropsFragments ? withoutFragment(link) : link;
    let verdict = this.verdicts.get(url);
    if (verdict !== undefined) return verdict;
    const admitted = this.admission(url);
    verdict = 'rejected' in admitted ? null : admitted.url;
    const trap = trapOf(admitted);
    if (trap !== null) this.trapped.set(trap, (this.trapped.get(trap) ?? 0) + 1);
    if (this.verdicts.size >= MAX_VERDICTS) {
      this.verdicts.clear();
      this.keys.clear();
    }
    this.verdicts.set(url, verdict);
    if (!('rejected' in admitted)) this.keys.set(admitted.url, admitted.key);
    return verdict;
  }
}

/** The link without its fragment, unless it would then end with white space, which urlnormalizer-basic removes. */
function withoutFragment(link: string): string {
  const hash = link.indexOf('#');
  return hash < 0 || link.charCodeAt(hash - 1) <= 0x20 ? link : link.slice(0, hash);
}

/** The limit of `urlfilter-trap` that a link broke, by its property; null for every other verdict. */
const trapOf = (admission: Admission): string | null =>
  'rejected' in admission && admission.plugin === 'urlfilter-trap'
    ? (admission.rule?.text.split(':')[0] ?? null)
    : null;

/** The columns of a page of which nothing could be read, with the reason. */
export const unparsed = (why: string): ParsedColumns => ({
  title: null,
  signature: null,
  parseMajor: PARSE_MAJOR.failed,
  parseMinor: PARSE_MINOR.exception,
  parseArgs: [why],
  parsed: false,
  reprUrl: null,
  metadata: {},
  text: null,
  textLength: 0,
  charset: null,
  outlinkKeys: [],
  outlinkAnchors: [],
});

/** Number of links that the rules of the crawl left out, counting each occurrence in the page. */
const leftOut = ({ filtered = 0, external = 0, internal = 0 }: KeptOutlinks['dropped']): number =>
  filtered + external + internal;

const judged = ({ url, anchor, tag }: FoundLink, dropped: JudgedLink['dropped']) => ({
  url,
  anchor,
  ...(tag !== undefined && { tag }),
  dropped,
});

const STATUS_NAMES: Record<number, string> = {
  [PARSE_MAJOR.notparsed]: 'notparsed',
  [PARSE_MAJOR.success]: 'success',
  [PARSE_MAJOR.failed]: 'failed',
};
