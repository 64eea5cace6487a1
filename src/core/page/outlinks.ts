/**
 * Selects the links of a page that are kept.
 *
 * Every link found is either kept or dropped for one named reason, so that the counters of PARSE add up. The cheap
 * checks come first; normalizers and filters (`admit`) run last and once for each distinct link. As in 1.x a page keeps
 * a limited number of links, each target once, with its first anchor that has text: a linked picture often precedes it.
 */
import { cutText } from '../html/collapsed-text.js';
import type { FoundLink } from '../html/link-collector.js';
import { hostOfUrl, originOf } from '../url/url-components.js';
import { linkScope } from './link-scope.js';

/** Why a link was dropped. */
export type DropReason =
  'nofollow' | 'scheme' | 'length' | 'self' | 'external' | 'internal' | 'filtered' | 'duplicate' | 'limit';

export interface OutlinkProps {
  /** Links kept of a page; negative: all. */
  readonly 'db.max.outlinks.per.page': number;
  /** Longer links are dropped, as found and as normalized. UTF-16 units. */
  readonly 'db.max.outlink.length': number;
  readonly 'db.max.anchor.length': number;
  readonly 'db.ignore.external.links': boolean;
  /** Whether external means another host or another domain: `byHost` or `byDomain`. */
  readonly 'db.ignore.external.links.mode': string;
  /**
   * Drop links inside the host (or domain), as 1.x does while parsing. A name of its own, because the shipped
   * `db.ignore.internal.links` has the 2.x meaning: such links are followed, they only make no inlinks.
   */
  readonly ignoreInternalLinks?: boolean;
  /** Whether an external link, as found, is kept nevertheless (plugins of the point `makeExemption`). */
  readonly isExempt?: (from: string, to: string) => boolean;
  /** Schemes besides http and https whose links are kept. */
  readonly schemes?: ReadonlySet<string>;
}

export interface KeptOutlinks {
  readonly kept: FoundLink[];
  readonly dropped: Partial<Record<DropReason, number>>;
  /** For each link found, in order: null for kept, else the reason it was dropped. */
  readonly verdicts: readonly (DropReason | null)[];
}

/** Normalizes and filters a URL: the URL to keep, or null to drop it. */
export type Admit = (url: string) => string | null;

/** Selects among the links of one page. `page.url` is the page's own normalized URL. */
export function keepOutlinks(
  links: readonly FoundLink[],
  page: { readonly url: string },
  props: OutlinkProps,
  admit: Admit,
): KeptOutlinks {
  const selection = new Selection(page.url, props, admit);
  const verdicts = links.map((link) => selection.take(link));
  const dropped: Partial<Record<DropReason, number>> = {};
  for (const verdict of verdicts) if (verdict !== null) dropped[verdict] = (dropped[verdict] ?? 0) + 1;
  return { kept: selection.kept, dropped, verdicts };
}

class Selection {
  readonly kept: FoundLink[] = [];
  private readonly limit: number;
  /** Positions in `kept` by target. */
  private readonly targets = new Map<string, number>();
  /** By URL as found, so that each is judged once: the reason, or the position in `kept` of its target. */
  private readonly judged = new Map<string, DropReason | number>();
  /** Whether an origin is in the page's host or domain; cached, as the links of a page have few origins. */
  private readonly origins = new Map<string, boolean>();
  private readonly pageUrl: string;
  private readonly group: string;

  constructor(
    pageUrl: string,
    private readonly props: OutlinkProps,
    private readonly admit: Admit,
  ) {
    const limit = props['db.max.outlinks.per.page'];
    this.limit = limit < 0 ? Number.POSITIVE_INFINITY : limit;
    this.pageUrl = withoutFragment(pageUrl);
    this.group = this.groupOf(hostOfUrl(pageUrl));
  }

  take(link: FoundLink): DropReason | null {
    // The page may contain the same URL again, to be followed.
    if (link.nofollow === true) return 'nofollow';
    const before = this.judged.get(link.url);
    if (typeof before === 'string') return before;
    if (before !== undefined) return this.addMissingAnchor(before, link);
    const count = this.kept.length;
    const judged = this.judge(link);
    // Not stored for 'limit': that check is cheap to repeat.
    if (judged !== 'limit') this.judged.set(link.url, judged);
    if (typeof judged === 'string') return judged;
    return this.kept.length > count ? null : this.addMissingAnchor(judged, link);
  }

  /** Gives a kept link without text the anchor of its duplicate. */
  private addMissingAnchor(at: number, { anchor }: FoundLink): 'duplicate' {
    const kept = this.kept[at]!;
    if (kept.anchor === '' && anchor !== '') this.kept[at] = { ...kept, anchor: this.cut(anchor) };
    return 'duplicate';
  }

  private cut(anchor: string): string {
    return cutText(anchor, this.props['db.max.anchor.length']);
  }

  /** @returns the position of the kept link with the same target, which is the last one if this link is kept */
  private judge(link: FoundLink): DropReason | number {
    const refused = this.refusal(link.url);
    if (refused !== null) return refused;
    if (this.kept.length >= this.limit) return 'limit';
    const target = this.admit(link.url);
    if (target === null) return 'filtered';
    if (target.length > this.props['db.max.outlink.length']) return 'length';
    if (target === this.pageUrl) return 'self';
    const before = this.targets.get(target);
    if (before !== undefined) return before;
    this.targets.set(target, this.kept.length);
    const kept = { url: target, anchor: this.cut(link.anchor) };
    return this.kept.push(link.tag === undefined ? kept : { ...kept, tag: link.tag }) - 1;
  }

  /** Why a URL is dropped as it was found. */
  private refusal(url: string): DropReason | null {
    if (!url.startsWith('http://') && !url.startsWith('https://') && !this.hasOtherScheme(url)) return 'scheme';
    if (url.length > this.props['db.max.outlink.length']) return 'length';
    if (withoutFragment(url) === this.pageUrl) return 'self';
    const scope = this.scopeReason(url);
    if (scope !== null && !(scope === 'external' && this.props.isExempt?.(this.pageUrl, url))) return scope;
    return null;
  }

  private hasOtherScheme(url: string): boolean {
    const { schemes } = this.props;
    return schemes !== undefined && schemes.size > 0 && schemes.has(url.slice(0, Math.max(url.indexOf('://'), 0)));
  }

  /** Why the link is out of scope: outside or inside the page's host or domain, where properties forbid that. */
  private scopeReason(url: string): 'external' | 'internal' | null {
    const noExternal = this.props['db.ignore.external.links'];
    const noInternal = this.props.ignoreInternalLinks ?? false;
    if (!noExternal && !noInternal) return null;
    const origin = originOf(url);
    let internal = this.origins.get(origin);
    if (internal === undefined) {
      internal = this.groupOf(hostOfUrl(origin)) === this.group;
      this.origins.set(origin, internal);
    }
    if (internal) return noInternal ? 'internal' : null;
    return noExternal ? 'external' : null;
  }

  private groupOf(host: string): string {
    return linkScope(host, this.props['db.ignore.external.links.mode']);
  }
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
}
