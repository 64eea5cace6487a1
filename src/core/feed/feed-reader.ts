/**
 * Receives the elements of a feed and assigns them to the feed, to an entry, or to neither.
 *
 * The formats differ in names and in nesting (items of RSS 1.0 are siblings of the channel, those of RSS 2.0 children), so
 * the reader uses names alone: an item or entry begins an entry, and the content of image, textinput, source and persons
 * is ignored. Of several texts or links the reader uses the one that most feed readers use: the first title, the last id,
 * the last alternate link, content before summary.
 */
import { parseDatetime } from '../w3c-datetime.js';
import type { XmlAttributes, XmlName } from '../xml/xml-name.js';
import type { XmlListener } from '../xml/xml-scanner.js';
import { BaseUrl, against } from './base-url.js';
import type { Feed, FeedLink, FeedOptions, FeedContainer, FeedText } from './feed-document.js';
import { feedName } from './feed-names.js';
import { TextCapture } from './text-capture.js';

const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry']);
const HIDING: ReadonlySet<string> = new Set([
  'image',
  'textinput',
  'source',
  'author',
  'contributor',
  'items',
  'cloud',
]);
/** Text elements and the fields that they set. Those for `text` are in order of preference. */
const TEXTS: ReadonlyMap<
  string,
  'title' | 'mediaTitle' | 'text' | 'id' | 'link' | 'published' | 'updated' | 'language'
> = new Map([
  ['title', 'title'],
  ['dc:title', 'title'],
  ['media:title', 'mediaTitle'],
  ['content:encoded', 'text'],
  ['content', 'text'],
  ['fullitem', 'text'],
  ['body', 'text'],
  ['xhtml:body', 'text'],
  ['description', 'text'],
  ['summary', 'text'],
  ['subtitle', 'text'],
  ['tagline', 'text'],
  ['itunes:summary', 'text'],
  ['media:description', 'text'],
  ['id', 'id'],
  ['guid', 'id'],
  ['link', 'link'],
  ['pubdate', 'published'],
  ['published', 'published'],
  ['issued', 'published'],
  ['dcterms:issued', 'published'],
  ['dcterms:created', 'published'],
  ['dc:date', 'updated'],
  ['updated', 'updated'],
  ['modified', 'updated'],
  ['lastbuilddate', 'updated'],
  ['dcterms:modified', 'updated'],
  ['language', 'language'],
  ['dc:language', 'language'],
]);
const TEXT_PRIORITY = [...TEXTS].filter(([, purpose]) => purpose === 'text').map(([name]) => name);

const MAX_LINKS = 50;
/** Length of titles, ids, links, dates. */
const MAX_VALUE_LENGTH = 4_096;
const MAX_LANGUAGE_LENGTH = 35;
const MAX_BASES = 200;
/** Characters of all links together: a long base makes a long URL of each short reference. */
const MAX_CHARACTERS = 16_777_216;
const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml|html|xhtml)?$/;

type Draft = { -readonly [K in keyof FeedContainer]: FeedContainer[K] } & {
  links: FeedLink[];
  priority: number;
  guid: string | null;
  mediaTitle: FeedText | null;
};

export class FeedReader implements XmlListener {
  private readonly feedDraft = emptyDraft();
  private readonly entries: Draft[] = [];
  private current: Draft = this.feedDraft;
  private format = '';
  private language: string | null = null;
  /** Of the root element: Atom has no other. */
  private ownLanguage: string | null = null;
  /** Number of open elements whose content is ignored. */
  private hidden = 0;
  private capture: TextCapture | null = null;
  private captureBase: BaseUrl | undefined;
  private guidIsLink = false;
  private readonly bases: (BaseUrl | undefined)[] = [];
  private full = false;
  private left = MAX_CHARACTERS;

  private readonly document: BaseUrl | undefined;

  constructor(private readonly options: FeedOptions) {
    this.document = options.url === undefined ? undefined : new BaseUrl(options.url, undefined);
  }

  open(name: XmlName, attributes: XmlAttributes): void {
    if (this.capture !== null) {
      this.capture.open(name.local, attributes);
      return;
    }
    const known = feedName(name);
    this.pushBase(attributes.get('xml:base'));
    if (this.format === '') {
      this.format = formatOf(known, name.namespace, attributes);
      this.ownLanguage = attributes.get('xml:lang')?.trim().slice(0, MAX_LANGUAGE_LENGTH) || null;
    }
    if (HIDING.has(known)) this.hidden++;
    else if (ENTRIES.has(known)) this.openEntry(attributes);
    else if (this.hidden === 0 && !this.full) this.openContainer(known, attributes);
  }

  close(name: XmlName): void {
    if (this.capture !== null && !this.capture.isOutermost) {
      this.capture.close(name.local);
      return;
    }
    const known = feedName(name);
    this.bases.pop();
    if (this.capture !== null) this.closeText(this.capture);
    else if (HIDING.has(known)) this.hidden = Math.max(0, this.hidden - 1);
    else if (ENTRIES.has(known)) this.closeEntry();
  }

  text(piece: string): void {
    this.capture?.add(piece);
  }

  feed(): Feed {
    if (this.capture !== null) this.closeText(this.capture);
    const { format, language, ownLanguage } = this;
    const all = { format: format || 'xml', language: language ?? ownLanguage };
    return { ...finished(this.feedDraft), ...all, entries: this.entries.map(finished) };
  }

  private openEntry(attributes: XmlAttributes): void {
    this.hidden = 0;
    this.full = this.entries.length >= this.options.maxEntries;
    if (this.full) return;
    this.current = emptyDraft();
    this.current.id = attributes.get('rdf:about')?.trim().slice(0, MAX_VALUE_LENGTH) ?? null;
    this.entries.push(this.current);
  }

  private closeEntry(): void {
    this.hidden = 0;
    this.full = false;
    this.current = this.feedDraft;
  }

  private openContainer(known: string, attributes: XmlAttributes): void {
    const href = attributes.get('href') ?? attributes.get('url') ?? attributes.get('uri');
    if (known === 'enclosure' && href !== undefined) this.addLink(href, 'enclosure', '');
    if (known === 'link' && href !== undefined) this.openLink(href, attributes);
    else if (TEXTS.has(known)) {
      this.capture = new TextCapture(known, attributes, this.format === 'atom 1.0', this.limitOf(known));
      this.captureBase = this.base;
      if (known === 'guid') this.guidIsLink = (attributes.get('ispermalink') ?? 'true').toLowerCase() === 'true';
      // The URL of out-of-line content (RFC 4287 §4.1.3.2).
      const src = attributes.get('src');
      if (known === 'content' && src !== undefined) this.addLink(src, 'alternate', '');
    }
  }

  private openLink(href: string, attributes: XmlAttributes): void {
    const rel = attributes.get('rel')?.trim().toLowerCase() || 'alternate';
    const added = this.addLink(href, rel, attributes.get('title') ?? '');
    if (added !== null && rel === 'alternate' && HTML_TYPES.test(attributes.get('type')?.trim().toLowerCase() ?? ''))
      this.current.link = added;
  }

  /** The link as it is kept; null beyond the limits of number and length. */
  private addLink(href: string, rel: string, title: string): string | null {
    const { links } = this.current;
    if (links.length >= MAX_LINKS || this.left < 0) return null;
    const link = against(href.trim().slice(0, MAX_VALUE_LENGTH), this.capture === null ? this.base : this.captureBase);
    this.left -= link?.length ?? MAX_VALUE_LENGTH;
    if (link === null || this.left < 0) return null;
    if (link !== '') links.push({ href: link, rel, title: title.slice(0, MAX_VALUE_LENGTH) });
    return link;
  }

  private closeText(capture: TextCapture): void {
    const text = capture.result();
    if (text !== null) this.keep(capture.element, text);
    this.capture = null;
  }

  private keep(element: string, text: FeedText): void {
    const { current } = this;
    const purpose = TEXTS.get(element);
    if (purpose === 'title' || purpose === 'mediaTitle') current[purpose] ??= text;
    else if (purpose === 'text') {
      const priority = TEXT_PRIORITY.indexOf(element);
      if (priority < current.priority) Object.assign(current, { text, priority });
    } else if (purpose === 'id') {
      current.id = text.value;
      if (element === 'guid' && this.guidIsLink) current.guid = text.value;
    } else if (purpose === 'link') current.link = this.addLink(text.value, 'alternate', '') ?? current.link;
    else if (purpose === 'language') this.language ??= text.value.slice(0, MAX_LANGUAGE_LENGTH);
    else if (purpose !== undefined) current[purpose] ??= parseDatetime(text.value);
  }

  private limitOf(element: string): number {
    return TEXTS.get(element) === 'text' ? this.options.maxText : MAX_VALUE_LENGTH;
  }

  private get base(): BaseUrl | undefined {
    return this.bases.at(-1);
  }

  /** There is no base where elements are nested too deeply. */
  private pushBase(own: string | undefined): void {
    const base = own === undefined ? this.base : new BaseUrl(own, this.base ?? this.document);
    this.bases.push(this.bases.length < MAX_BASES ? base : undefined);
  }
}

function emptyDraft(): Draft {
  return {
    id: null,
    title: null,
    link: null,
    links: [],
    text: null,
    published: null,
    updated: null,
    priority: TEXT_PRIORITY.length,
    guid: null,
    mediaTitle: null,
  };
}

/**
 * A guid that is a permalink is the link of an item without any. Many that are not declared otherwise are no URL but a
 * number or a word.
 */
function finished(draft: Draft): FeedContainer {
  const { id, title, link, links, text, published, updated, guid, mediaTitle } = draft;
  const container = { id, title: title ?? mediaTitle, link, links, text, published, updated };
  if (link !== null || guid === null || !/^https?:/i.test(guid)) return container;
  return { ...container, link: guid, links: [...links, { href: guid, rel: 'alternate', title: '' }] };
}

function formatOf(root: string, namespace: string, attributes: XmlAttributes): string {
  const version = attributes.get('version')?.trim().slice(0, 10) ?? '';
  if (root === 'feed')
    return namespace === 'http://www.w3.org/2005/Atom' || version === '' ? 'atom 1.0' : `atom ${version}`;
  if (root === 'rdf:rdf' || root === 'rdf') {
    return [...attributes.values()].some((uri) => uri.includes('rdf/simple/0.9')) ? 'rss 0.90' : 'rss 1.0';
  }
  return `rss ${version}`.trim();
}
