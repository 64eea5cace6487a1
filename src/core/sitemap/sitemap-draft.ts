/** A document that is being parsed: the entries and errors so far. */
import { normalizeEscapes } from '../url/escapes.js';
import { urlWithoutUserInfo } from '../url/url-credentials.js';
import { SITEMAP_MAX_ENTRIES } from './sitemap-document.js';
import type {
  SitemapDocument,
  SitemapEntry,
  SitemapError,
  SitemapErrorReason,
  SitemapKind,
  SitemapOptions,
  SitemapReference,
} from './sitemap-document.js';

const MAX_LOC_LENGTH = 8_192;
const MAX_EXAMPLE_LENGTH = 200;
const ASK_EVERY = 500;

export class SitemapDraft {
  readonly entries: SitemapEntry[] = [];
  readonly sitemaps: SitemapReference[] = [];
  /** Whether images, videos, news and alternates are kept. */
  readonly extensions: boolean;
  private readonly errors = new Map<SitemapErrorReason, { count: number; example: string }>();
  private readonly max: number;
  /** Parts of the document since the last call of `options.isOver`. */
  private checks = 0;
  private readonly within: { origin: string; folder: string }[];

  constructor(private readonly options: SitemapOptions) {
    this.extensions = options.extensions ?? true;
    this.max = options.maxEntries ?? SITEMAP_MAX_ENTRIES;
    const base = URL.parse(options.url);
    this.within = [
      ...(base ? [{ origin: base.origin, folder: normalizeEscapes(base.pathname.replace(/[^/]*$/, '')) }] : []),
      ...(options.alsoOrigins ?? []).map((origin) => ({ origin, folder: '/' })),
    ];
  }

  /** The URL of the document. */
  get url(): string {
    return this.options.url;
  }

  /** Whether parsing must end before the next entry: the limit of entries is reached, or the time is over. */
  isOver(): boolean {
    if (this.entries.length + this.sitemaps.length >= this.max) return this.noteOver('too-many');
    return this.isTimeOver();
  }

  /** Whether the time is over. Asked at each part of the document: one without entries takes time, too. */
  isTimeOver(): boolean {
    this.checks = (this.checks + 1) % ASK_EVERY;
    return this.checks === 0 && this.options.isOver?.() === true && this.noteOver('timeout');
  }

  note(reason: SitemapErrorReason, example = ''): void {
    const noted = this.errors.get(reason);
    if (noted) noted.count++;
    else
      this.errors.set(reason, { count: 1, example: apart(urlWithoutUserInfo(example).slice(0, MAX_EXAMPLE_LENGTH)) });
  }

  /** The absolute URL of a loc, unchanged where it is absolute already; null for an invalid one. */
  locOf(text: string): string | null {
    const loc = cleaned(text);
    if (loc === '') return this.refuse('missing-loc', text);
    const absolute = /^[a-z][a-z0-9+.-]*:/i.test(loc);
    const read = loc.length > MAX_LOC_LENGTH ? null : URL.parse(loc, absolute ? undefined : this.options.url);
    if (read === null || !/^https?:$/.test(read.protocol)) return this.refuse('invalid-loc', loc);
    if (!absolute) this.note('relative-loc', loc);
    return apart(/^https?:\/\/[^/\\]/i.test(loc) ? loc : read.href);
  }

  /** As `locOf`, for an entry: strict parsing rejects one outside the path of its sitemap. */
  entryLocOf(text: string): string | null {
    const loc = this.locOf(text);
    if (loc === null || !this.options.strict) return loc;
    const { origin, pathname } = new URL(loc);
    // The URL of the sitemap is normalized, those of its entries are as written.
    const path = normalizeEscapes(pathname);
    const vouched = this.within.some((base) => base.origin === origin && path.startsWith(base.folder));
    return vouched ? loc : this.refuse('outside-path', loc);
  }

  document(kind: SitemapKind): SitemapDocument {
    const errors: SitemapError[] = [...this.errors].map(([reason, noted]) => ({ reason, ...noted }));
    return { kind, entries: this.entries, sitemaps: this.sitemaps, errors };
  }

  private noteOver(reason: SitemapErrorReason): true {
    this.note(reason);
    return true;
  }

  private refuse(reason: SitemapErrorReason, example: string): null {
    this.note(reason, example);
    return null;
  }
}

/** A well-formed copy: a substring in V8 references its parent, so one URL would keep the whole document in memory. */
const apart = (text: string): string => Buffer.from(text).toString();

/** Removes line breaks and blanks that editors and templates put around and into URLs. */
export const cleaned = (text: string): string => text.replaceAll(/[\t\n\r\0]/g, '').trim();
