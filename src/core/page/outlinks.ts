/**
 * Which of the links found in a page are kept.
 *
 * Every found link is either kept or dropped for one named reason, so that the counters of PARSE add up. The cheap
 * questions come first; normalizers and filters (`admit`) are asked last and once for each distinct link. What is kept
 * is what 1.x keeps: at most so many per page, each target once, the first anchor wins.
 */
import { cutText } from '../html/squeezed-text.js';
import type { FoundLink } from '../html/link-collector.js';
import { domainOf } from '../url/domain.js';
import { hostOf, originOf } from '../url/url-parts.js';

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
  /** What an external link leaves: `byHost` or `byDomain`. */
  readonly 'db.ignore.external.links.mode': string;
  /**
   * Drop links inside the host (or domain), as 1.x does while parsing. A name of its own, because the shipped
   * `db.ignore.internal.links` has the 2.x meaning: such links are followed, they only make no inlinks.
   */
  readonly ignoreInternalLinks?: boolean;
  /** Whether an external link, as found, is kept all the same (plugins of the point `makeExemption`). */
  readonly isExempt?: (from: string, to: string) => boolean;
}

export interface KeptOutlinks {
  readonly kept: FoundLink[];
  readonly dropped: Partial<Record<DropReason, number>>;
  /** For each found link in order: null for kept, else why not. */
  readonly verdicts: readonly (DropReason | null)[];
}

/** Normalizes and filters a URL: the URL to keep, or null to drop it. */
export type Admit = (url: string) => string | null;

/** Decides over the links of one page. `page.url` is the page's own normalized URL. */
export function keepOutlinks(
  found: readonly FoundLink[],
  page: { readonly url: string },
  props: OutlinkProps,
  admit: Admit,
): KeptOutlinks {
  const selection = new Selection(page.url, props, admit);
  const verdicts = found.map((link) => selection.take(link));
  const dropped: Partial<Record<DropReason, number>> = {};
  for (const verdict of verdicts) if (verdict !== null) dropped[verdict] = (dropped[verdict] ?? 0) + 1;
  return { kept: selection.kept, dropped, verdicts };
}

class Selection {
  readonly kept: FoundLink[] = [];
  private readonly limit: number;
  private readonly targets = new Set<string>();
  /** Verdicts over URLs as found, so that each is judged once. */
  private readonly judged = new Map<string, DropReason | null>();
  /** Whether the links of an origin stay in the page's host or domain: a page's links share few. */
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
    this.group = this.groupOf(hostOf(pageUrl));
  }

  take(link: FoundLink): DropReason | null {
    // The same URL may stand in the page a second time, to be followed.
    if (link.nofollow === true) return 'nofollow';
    const before = this.judged.get(link.url);
    if (before !== undefined) return before ?? 'duplicate';
    const verdict = this.judge(link);
    // Capacity does not come back, but a link refused for lack of capacity is cheap to refuse again.
    if (verdict !== 'limit') this.judged.set(link.url, verdict);
    return verdict;
  }

  private judge({ url, anchor, tag }: FoundLink): DropReason | null {
    if (!url.startsWith('http://') && !url.startsWith('https://')) return 'scheme';
    if (url.length > this.props['db.max.outlink.length']) return 'length';
    if (withoutFragment(url) === this.pageUrl) return 'self';
    const scope = this.scopeReason(url);
    if (scope !== null && !(scope === 'external' && this.props.isExempt?.(this.pageUrl, url))) return scope;
    if (this.kept.length >= this.limit) return 'limit';
    const target = this.admit(url);
    if (target === null) return 'filtered';
    if (target.length > this.props['db.max.outlink.length']) return 'length';
    if (target === this.pageUrl) return 'self';
    if (this.targets.has(target)) return 'duplicate';
    this.targets.add(target);
    const kept = { url: target, anchor: cutText(anchor, this.props['db.max.anchor.length']) };
    this.kept.push(tag === undefined ? kept : { ...kept, tag });
    return null;
  }

  /** Does the link leave the page's host or domain where it must not, or stay where it must not? */
  private scopeReason(url: string): 'external' | 'internal' | null {
    const noExternal = this.props['db.ignore.external.links'];
    const noInternal = this.props.ignoreInternalLinks ?? false;
    if (!noExternal && !noInternal) return null;
    const origin = originOf(url);
    let internal = this.origins.get(origin);
    if (internal === undefined) {
      internal = this.groupOf(hostOf(origin)) === this.group;
      this.origins.set(origin, internal);
    }
    if (internal) return noInternal ? 'internal' : null;
    return noExternal ? 'external' : null;
  }

  private groupOf(host: string): string {
    return this.props['db.ignore.external.links.mode'] === 'byDomain' ? domainOf(host) : host;
  }
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
}
