/**
 * Parses regex-normalize.xml, the rule file of urlnormalizer-regex.
 *
 * Only the documented form is accepted: one `regex-normalize` element with `regex` elements, each with a `pattern` and a
 * `substitution`; comments and an XML declaration are skipped. Attributes, a DOCTYPE and entities beyond the five of
 * XML 1.0 are rejected, so there is nothing to fetch or to expand.
 */
import { MAX_RULES, RuleError } from './linear-regex.js';

/** An expression and its substitution as given. */
export interface RewritePair {
  readonly pattern: string;
  readonly substitution: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** One tag, or the text up to the next tag; `y` makes each match start where the last one ended. */
const TOKEN = /<(\/?)([a-z-]+)[ \t\r\n]*(\/?)>|([^<]+)/y;

/** @throws RuleError with the number of the rule that is being read. */
export function readRegexNormalizeXml(xml: string): RewritePair[] {
  const reader = new RewriteReader(withoutComments(xml));
  reader.open('regex-normalize');
  while (!reader.closes('regex-normalize')) reader.readPair();
  reader.end();
  return reader.pairs;
}

function withoutComments(xml: string): string {
  let rest = xml.trim();
  if (rest.startsWith('<?xml')) rest = rest.slice(rest.indexOf('?>') + 2);
  let kept = '';
  for (let from = 0; ;) {
    const start = rest.indexOf('<!--', from);
    const end = start < 0 ? -1 : rest.indexOf('-->', start + 4);
    if (end < 0) return (kept + rest.slice(from)).trim();
    kept += rest.slice(from, start);
    from = end + 3;
  }
}

class RewriteReader {
  readonly pairs: RewritePair[] = [];
  private at = 0;

  constructor(private readonly xml: string) {}

  open(name: string): void {
    this.expect(name, '');
  }

  end(): void {
    if (this.at < this.xml.length) this.refuse('text after the closing tag');
  }

  /** Consumes the closing tag of `name` if it is next. */
  closes(name: string): boolean {
    this.skipSpace();
    if (!this.xml.startsWith(`</${name}`, this.at)) return false;
    this.expect(name, '/');
    return true;
  }

  readPair(): void {
    if (this.pairs.length >= MAX_RULES) this.refuse(`more than ${MAX_RULES} rules`);
    this.open('regex');
    const pattern = this.readText('pattern');
    const substitution = this.readText('substitution');
    if (!this.closes('regex')) this.refuse('expected </regex>');
    this.pairs.push({ pattern, substitution });
  }

  private readText(name: string): string {
    this.skipSpace();
    const tag = this.next();
    if (tag?.[2] !== name || tag[1] !== '') this.refuse(`expected <${name}>`);
    if (tag?.[3] === '/') return '';
    const isEmpty = this.xml.startsWith('</', this.at);
    const text = isEmpty ? '' : (this.next()?.[4] ?? this.refuse(`no tags allowed in <${name}>`));
    this.expect(name, '/');
    return this.decode(text);
  }

  private expect(name: string, slash: string): void {
    this.skipSpace();
    const tag = this.next();
    if (tag?.[1] !== slash || tag[2] !== name || tag[3] !== '') this.refuse(`expected <${slash}${name}>`);
  }

  private decode(text: string): string {
    return text.replace(/&([^;&]{0,8};?)/g, (_, entity: string) => {
      const char = entity.endsWith(';') ? entities[entity.slice(0, -1)] : undefined;
      return char ?? this.refuse(`unknown entity &${entity}`);
    });
  }

  private skipSpace(): void {
    while (/[ \t\r\n]/.test(this.xml[this.at] ?? '')) this.at++;
  }

  private next(): RegExpExecArray | null {
    TOKEN.lastIndex = this.at;
    const match = TOKEN.exec(this.xml);
    if (match !== null) this.at = TOKEN.lastIndex;
    return match;
  }

  private refuse(reason: string): never {
    const text = this.xml.slice(this.at, this.at + 40);
    throw new RuleError({ number: this.pairs.length + 1, text }, null, `XML: ${reason}`);
  }
}
