/**
 * Parses sitemaps, sitemap indexes, RSS and Atom alike: an entry element (`url`, `sitemap`, `item`, `entry`), fields as
 * its children, and groups of fields (`image`, `video`, `news`). Other elements are ignored. An entry that the document
 * truncates is kept with the fields that were complete.
 */
import { BaseUrl, against } from '../feed/base-url.js';
import { type XmlAttributes, type XmlName, localName } from '../xml/xml-name.js';
import { type XmlListener, type XmlOptions, scanXml } from '../xml/xml-scanner.js';
import { parseDatetime } from '../w3c-datetime.js';
import {
  CHANGE_FREQUENCIES,
  type ChangeFrequency,
  type SitemapAlternate,
  type SitemapDocument,
  type SitemapImage,
  type SitemapKind,
  type SitemapNews,
  type SitemapVideo,
} from './sitemap-document.js';
import { SitemapDraft, cleaned } from './sitemap-draft.js';

/** Namespaces are often wrong, missing or invented, so only local names are compared. */
const SITEMAP_XML: XmlOptions = {
  naming: localName,
  attributes: new Set(['href', 'rel', 'hreflang', 'about', 'ispermalink', 'base']),
  deepest: 100,
  maxNameLength: 64,
  maxValueLength: 8_192,
};

type Fields = Map<string, string>;

/** The kind of a document by its first element. */
const KINDS: ReadonlyMap<string, SitemapKind> = new Map<string, SitemapKind>([
  ['urlset', 'urlset'],
  ['url', 'urlset'],
  ['sitemapindex', 'index'],
  ['sitemap', 'index'],
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['channel', 'rss'],
  ['feed', 'atom'],
  ['entry', 'atom'],
  ['html', 'html'],
  // HTML pages without a root element.
  ...'head,body,title,meta,script,style,div,p,h1,h2,center,table'.split(',').map((tag) => [tag, 'html'] as const),
]);
const FEEDS: ReadonlySet<SitemapKind | null> = new Set<SitemapKind>(['rss', 'atom']);
const SITEMAP_ENTRIES = new Set(['url', 'sitemap']);
const ENTRIES: Readonly<Record<SitemapKind, ReadonlySet<string>>> = {
  urlset: SITEMAP_ENTRIES,
  index: SITEMAP_ENTRIES,
  // `url` elements in an unknown root are still a list of URLs.
  unknown: SITEMAP_ENTRIES,
  rss: new Set(['item']),
  atom: new Set(['entry']),
  html: new Set(),
  text: new Set(),
  empty: new Set(),
};
const FIELDS = new Set(
  'loc,lastmod,changefreq,priority,link,guid,pubdate,date,updated,published,modified,issued'.split(','),
);
/** Usual prefixes of sitemap extensions. */
const EXTENSIONS = new Set(['image', 'video', 'news', 'mobile', 'xhtml', 'pagemap', 'media']);
const SITEMAP_FIELDS = new Set(['loc', 'lastmod', 'changefreq', 'priority']);
const GROUPS = new Set(['image', 'video', 'news']);
const DATES = ['lastmod', 'updated', 'modified', 'pubdate', 'date', 'published', 'issued'];
const MAX_TEXT_LENGTH = 16_384;
/** Google's limit of images per entry; further groups of any kind are ignored. */
const MAX_GROUPS = 1_000;

interface Entry {
  name: string;
  fields: Fields;
  /** Text directly in the element: some indexes use it instead of `loc`. */
  bare: string;
  images: SitemapImage[];
  videos: SitemapVideo[];
  news: SitemapNews | null;
  alternates: SitemapAlternate[];
}

class SitemapXmlReader implements XmlListener {
  kind: SitemapKind | null = null;
  private done = false;
  private entry: Entry | null = null;
  /** Prefix of the elements that are entries. */
  private prefix = '';
  private group: { name: string; fields: Fields } | null = null;
  private leaf: string | null = null;
  private leafText = '';
  /** Of the open elements of a feed (`xml:base`); undefined for the URL of the document. */
  private readonly bases: (BaseUrl | undefined)[] = [];

  constructor(private readonly draft: SitemapDraft) {}

  open({ local: name, prefix }: XmlName, attributes: XmlAttributes, { local: parent }: XmlName): void {
    this.kind ??= KINDS.get(name) ?? 'unknown';
    if (this.kind === 'html') return this.stop();
    if (this.leaf !== null) this.endLeaf();
    if (FEEDS.has(this.kind)) this.pushBase(attributes.get('base'));
    if (ENTRIES[this.kind].has(name)) {
      this.prefix = prefix;
      return this.begin(name, attributes);
    }
    if (this.entry === null) return;
    // An `image:loc` outside of its group is not a `loc`; in feeds, fields of other vocabularies (`dc:date`) are used.
    const foreign = SITEMAP_FIELDS.has(name) && prefix !== this.prefix && EXTENSIONS.has(prefix);
    if (parent === this.entry.name && !foreign) this.openInEntry(name, attributes);
    else if (this.group !== null && (parent === this.group.name || parent === 'publication')) this.beginLeaf(name);
  }

  text(piece: string, { local: parent }: XmlName): void {
    if (this.leaf !== null) {
      if (this.leafText.length < MAX_TEXT_LENGTH) this.leafText += piece.slice(0, MAX_TEXT_LENGTH);
    } else if (this.entry !== null && this.entry.name === parent && this.entry.bare.length < MAX_TEXT_LENGTH) {
      this.entry.bare += piece.trim().slice(0, MAX_TEXT_LENGTH);
    }
  }

  close({ local: name }: XmlName): void {
    if (this.leaf === name) this.endLeaf();
    else if (this.group?.name === name) this.endGroup();
    else if (this.entry?.name === name) this.endEntry();
    this.bases.pop();
  }

  isDone(): boolean {
    if (!this.done && this.draft.isTimeOver()) this.stop();
    return this.done;
  }

  /** The document has ended: a field that it truncates is lost. */
  end(): void {
    this.leaf = null;
    this.endEntry();
  }

  private stop(): void {
    this.done = true;
  }

  private begin(name: string, attributes: XmlAttributes): void {
    this.endEntry();
    if (this.draft.isOver()) return this.stop();
    const fields: Fields = new Map();
    const about = attributes.get('about');
    if (about !== undefined) fields.set('about', about);
    this.entry = { name, fields, bare: '', images: [], videos: [], news: null, alternates: [] };
  }

  private openInEntry(name: string, attributes: XmlAttributes): void {
    const entry = this.entry!;
    if (GROUPS.has(name) && this.kind === 'urlset') {
      this.endGroup();
      if (this.draft.extensions) this.group = { name, fields: new Map() };
    } else if (name === 'link' && attributes.has('href')) this.link(entry, attributes);
    else if (name === 'guid' && attributes.get('ispermalink')?.toLowerCase() === 'false') return;
    else if (FIELDS.has(name)) this.beginLeaf(name);
  }

  /** `xhtml:link` of a sitemap, `link` of Atom. */
  private link({ fields, alternates }: Entry, attributes: XmlAttributes): void {
    const href = attributes.get('href') ?? '';
    if ((attributes.get('rel') ?? 'alternate').toLowerCase() !== 'alternate') return;
    if (this.kind === 'urlset') {
      if (this.draft.extensions && alternates.length < MAX_GROUPS)
        alternates.push({ href: cleaned(href), hreflang: attributes.get('hreflang') ?? null });
    } else if (!fields.has('link')) fields.set('link', this.absolute(href));
  }

  private pushBase(written: string | undefined): void {
    const around = this.bases.at(-1);
    this.bases.push(
      written === undefined ? around : new BaseUrl(written, around ?? new BaseUrl(this.draft.url, undefined)),
    );
  }

  /** A link of a feed; without a base around it as written. */
  private absolute(reference: string): string {
    const base = this.bases.at(-1);
    return base === undefined ? reference : (against(cleaned(reference), base) ?? '');
  }

  private beginLeaf(name: string): void {
    this.leaf = name;
    this.leafText = '';
  }

  /** The first element of a name counts. */
  private endLeaf(): void {
    const fields = this.group?.fields ?? this.entry?.fields;
    const name = this.leaf!;
    this.leaf = null;
    if (fields && !fields.has(name) && fields.size < MAX_GROUPS)
      fields.set(name, name === 'link' ? this.absolute(this.leafText) : this.leafText);
  }

  private endGroup(): void {
    const { group, entry } = this;
    this.group = null;
    if (group === null || entry === null) return;
    const { fields } = group;
    if (group.name === 'news') entry.news ??= newsOf(fields);
    else if (group.name === 'video' && entry.videos.length < MAX_GROUPS) entry.videos.push(videoOf(fields));
    else if (group.name === 'image' && entry.images.length < MAX_GROUPS) {
      const loc = fieldText(fields, 'loc');
      if (loc !== null)
        entry.images.push({ loc, title: fieldText(fields, 'title'), caption: fieldText(fields, 'caption') });
    }
  }

  private endEntry(): void {
    this.endGroup();
    const { entry, draft } = this;
    this.entry = null;
    if (entry === null) return;
    const { fields, name, images, videos, news, alternates } = entry;
    const guid = fields.get('guid')?.trim();
    const permalink = guid !== undefined && /^https?:/i.test(guid) ? guid : undefined;
    const locText = fields.get('loc') ?? fields.get('link') ?? permalink ?? fields.get('about') ?? entry.bare;
    const loc = name === 'sitemap' ? draft.locOf(locText) : draft.entryLocOf(locText);
    if (loc === null) return;
    const lastmod = this.lastmodOf(fields);
    if (name === 'sitemap') draft.sitemaps.push({ loc, lastmod });
    else {
      const hints = { changefreq: this.changefreqOf(fields), priority: this.priorityOf(fields) };
      draft.entries.push({ loc, lastmod, ...hints, images, videos, news, alternates });
    }
  }

  private lastmodOf(fields: Fields): number | null {
    const lastmod = DATES.map((name) => fieldText(fields, name)).find((text) => text !== null);
    if (lastmod === undefined || lastmod === null) return null;
    const time = parseDatetime(lastmod);
    if (time === null) this.draft.note('invalid-lastmod', lastmod);
    return time;
  }

  private changefreqOf(fields: Fields): ChangeFrequency | null {
    const changefreq = fieldText(fields, 'changefreq');
    if (changefreq === null) return null;
    const known = CHANGE_FREQUENCIES.find((word) => word === changefreq.toLowerCase());
    if (known === undefined) this.draft.note('invalid-changefreq', changefreq);
    return known ?? null;
  }

  private priorityOf(fields: Fields): number | null {
    const priority = fieldText(fields, 'priority');
    if (priority === null) return null;
    const value = /^\+?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})$/.test(priority) ? Number(priority) : NaN;
    if (value >= 0 && value <= 1) return value;
    this.draft.note('invalid-priority', priority);
    return null;
  }
}

const fieldText = (fields: Fields, name: string): string | null => cleaned(fields.get(name) ?? '') || null;

const videoOf = (fields: Fields): SitemapVideo => ({
  title: fieldText(fields, 'title'),
  description: fieldText(fields, 'description'),
  thumbnail: fieldText(fields, 'thumbnail_loc'),
  content: fieldText(fields, 'content_loc'),
  player: fieldText(fields, 'player_loc'),
});

const newsOf = (fields: Fields): SitemapNews => ({
  title: fieldText(fields, 'title'),
  name: fieldText(fields, 'name'),
  language: fieldText(fields, 'language'),
  publicationDate: parseDatetime(fieldText(fields, 'publication_date') ?? ''),
});

/** Parses XML of any of these kinds. Never throws. */
export function readSitemapXml(xml: string, draft: SitemapDraft): SitemapDocument {
  const reader = new SitemapXmlReader(draft);
  const { truncated, tooDeep } = scanXml(xml, reader, SITEMAP_XML);
  reader.end();
  if (truncated) draft.note('truncated');
  if (tooDeep > 0) draft.note('too-deep');
  const kind = reader.kind ?? 'unknown';
  if (kind === 'html') draft.note('html');
  const hasEntries = draft.entries.length + draft.sitemaps.length > 0;
  if (kind === 'unknown' && !hasEntries) draft.note('not-a-sitemap');
  return draft.document(kind === 'unknown' && hasEntries ? 'urlset' : kind);
}
