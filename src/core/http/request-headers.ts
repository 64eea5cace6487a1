/**
 * The request headers of a fetch, from the crawl's properties: User-Agent (`http.agent.*`), content negotiation
 * (`http.accept*`), and conditional requests (stored validators, RFC 9110 §13).
 */
import { formatHttpDate } from './http-date.js';

/** The properties that shape a request; all optional, as strings or as their own types. */
export interface RequestProperties {
  readonly 'http.agent.name'?: string;
  readonly 'http.agent.version'?: string;
  readonly 'http.agent.description'?: string;
  readonly 'http.agent.url'?: string;
  readonly 'http.agent.email'?: string;
  readonly 'http.accept'?: string;
  readonly 'http.accept.language'?: string;
  readonly 'http.accept.charset'?: string;
  readonly 'http.enable.if.modified.since.header'?: boolean | string;
}

/** Validators stored by an earlier visit. */
export interface Validators {
  readonly etag?: string | null;
  /** The Last-Modified header as received. */
  readonly lastModified?: string | null;
  /** Modified time of the page, ms since 1970; used if there is no Last-Modified. */
  readonly modifiedTime?: number | null;
}

/** HTTP dates have four digits for the year. */
const YEAR_10000 = Date.UTC(10_000);

/** The request headers. Empty properties send no header. */
export function requestHeaders(properties: RequestProperties, validators: Validators = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  const set = (name: string, value: string | null | undefined) => {
    const clean = fieldValue(value ?? '');
    if (clean !== '') headers[name] = clean;
  };
  set('user-agent', userAgent(properties));
  set('accept', properties['http.accept']);
  set('accept-language', properties['http.accept.language']);
  set('accept-charset', properties['http.accept.charset']);
  if (String(properties['http.enable.if.modified.since.header'] ?? true) !== 'true') return headers;
  // Servers that get one do not look at the date (RFC 9110 §13.1.3), so it must be the one that they sent, byte for byte.
  if (/^[ -~]{1,1000}$/.test(validators.etag ?? '')) set('if-none-match', validators.etag);
  const { lastModified, modifiedTime } = validators;
  const since =
    modifiedTime != null && modifiedTime > 0 && modifiedTime < YEAR_10000 ? formatHttpDate(modifiedTime) : null;
  set('if-modified-since', lastModified || since);
  return headers;
}

/** `name/version (description; url; email)`, as Nutch writes it; '' without a name. */
export function userAgent(properties: RequestProperties): string {
  const field = (name: keyof RequestProperties) => fieldValue(String(properties[name] ?? ''));
  const name = field('http.agent.name');
  if (name === '') return '';
  const version = field('http.agent.version');
  const details = [field('http.agent.description'), field('http.agent.url'), field('http.agent.email')].filter(Boolean);
  return `${name}${version && `/${version}`}${details.length > 0 ? ` (${details.join('; ')})` : ''}`;
}

/** Sanitizes the value of a header: no control characters (CR and LF would start a new header), Latin-1, 1,000 characters. */
function fieldValue(text: string): string {
  return text
    .slice(0, 1000)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[^\u0020-\u00ff]/gu, '?')
    .trim();
}
