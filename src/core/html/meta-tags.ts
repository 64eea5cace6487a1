/**
 * The meta elements of a page: directives for robots, a refresh, and arbitrary names with values.
 */
import type { Attributes } from './html-scanner.js';
import { addDirectives, type RobotsMeta } from './robots-directives.js';
import { collapseSpace } from './collapsed-text.js';

/** A meta refresh as written: the target is not yet resolved. */
export interface RefreshMeta {
  readonly seconds: number;
  readonly target: string;
}

const MAX_CONTENT_LENGTH = 10_000;
const MAX_VALUE_LENGTH = 1000;
const MAX_NAME_LENGTH = 100;
const MAX_NAMES = 100;
const MAX_VALUES = 20;

/** Collects the meta elements of one page. The first refresh wins; directives for robots are combined. */
export class MetaTags {
  readonly robots: RobotsMeta = { noindex: false, nofollow: false, nocache: false };
  refresh: RefreshMeta | null = null;
  language: string | null = null;
  /** Names in lower case, values in document order; bounded in number and length. */
  readonly values = new Map<string, string[]>();

  /**
   * @param robotNames names of elements that apply to this crawler, lower case
   * @param now present time, for `unavailable_after`, ms
   */
  constructor(
    private readonly robotNames: ReadonlySet<string>,
    private readonly now: number,
  ) {}

  /** Reads one element. A refresh inside noscript is for browsers without scripts and is ignored. */
  add(attributes: Attributes, insideNoscript: boolean): void {
    const content = (attributes['content'] ?? '').slice(0, MAX_CONTENT_LENGTH);
    const pragma = attributes['http-equiv']?.trim().toLowerCase();
    const names = namesOf(attributes);
    if (pragma !== undefined) this.addPragma(pragma, content, insideNoscript);
    if (names.some((name) => name === 'robots' || this.robotNames.has(name)))
      addDirectives(this.robots, content, this.now);
    if (names.length === 0 && pragma) names.push(pragma);
    for (const name of names) if (name.length <= MAX_NAME_LENGTH) this.addValue(name, content);
  }

  private addPragma(pragma: string, content: string, insideNoscript: boolean): void {
    if (pragma === 'pragma' && /no-cache/i.test(content)) this.robots.nocache = true;
    if (pragma === 'content-language') this.language ??= content.trim().slice(0, MAX_NAME_LENGTH) || null;
    if (pragma === 'refresh' && !insideNoscript) this.refresh ??= parseRefresh(content);
  }

  private addValue(name: string, content: string): void {
    const value = collapseSpace(content, MAX_VALUE_LENGTH);
    const known = this.values.get(name);
    if (known === undefined) {
      if (this.values.size < MAX_NAMES) this.values.set(name, [value]);
    } else if (known.length < MAX_VALUES) known.push(value);
  }
}

/** Both the name and the property: many elements have one of HTML and one of Open Graph. */
function namesOf({ name, property }: Attributes): string[] {
  const names = [name, property].map((written) => written?.trim().toLowerCase() ?? '').filter((word) => word !== '');
  return names[0] === names[1] ? names.slice(1) : names;
}

/**
 * Parses the content of a meta refresh (HTML §4.2.5.3, "shared declarative refresh steps"), with fractions of seconds.
 * Null without a target: such a page reloads itself.
 */
export function parseRefresh(content: string): RefreshMeta | null {
  const input = content.trim();
  const time = /^\d*\.?\d*/.exec(input)?.[0] ?? '';
  if (time === '') return null;
  const afterTime = input.slice(time.length).replace(/^[\d.]+/, '');
  const separated = /^[\s;,]/.test(afterTime);
  if (!separated) return null;
  const target = unquoted(
    afterTime
      .replace(/^\s+/, '')
      .replace(/^[;,]\s*/, '')
      .replace(/^url\s*=\s*/i, ''),
  );
  if (target === '') return null;
  const seconds = Number(time);
  return { seconds: Number.isFinite(seconds) ? seconds : 0, target };
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  if (quote !== '"' && quote !== "'") return text.trim();
  const end = text.indexOf(quote, 1);
  return text.slice(1, end < 0 ? text.length : end).trim();
}
