/**
 * Selects the links that count as votes, as in Nutch 1.x (org.apache.nutch.scoring.webgraph.WebGraph): none within a host
 * or domain, one for each page (a URL without its query) and each domain. The first link in page order counts.
 */
import type { LinkFilter } from './link-graph.js';

export interface VoteRules {
  ignoreInternalHost: boolean;
  ignoreInternalDomain: boolean;
  limitPage: boolean;
  limitDomain: boolean;
}

/** Groups of nodes for the rules. Groups are numbered from 0. */
export interface NodeGroups {
  hosts: Uint32Array;
  /** Domain of each host. */
  domains: Uint32Array;
  /** Page of each node; only with `limitPage`. */
  pages?: Uint32Array | undefined;
}

export class LinkVotes implements LinkFilter {
  /** For each domain, and each page: the source plus 1 of the last vote for it. */
  private readonly domainVotes: Uint32Array;
  private readonly pageVotes: Uint32Array;

  constructor(
    private readonly rules: VoteRules,
    private readonly groups: NodeGroups,
  ) {
    this.domainVotes = new Uint32Array(rules.limitDomain ? groups.domains.length : 0);
    this.pageVotes = new Uint32Array(rules.limitPage ? (groups.pages?.length ?? 0) : 0);
  }

  counts(source: number, target: number): boolean {
    const { rules, groups } = this;
    const [from, to] = [groups.hosts[source]!, groups.hosts[target]!];
    const domain = groups.domains[to]!;
    if (rules.ignoreInternalHost && from === to) return false;
    if (rules.ignoreInternalDomain && groups.domains[from] === domain) return false;
    const page = groups.pages?.[target];
    if (rules.limitDomain && this.domainVotes[domain] === source + 1) return false;
    if (rules.limitPage && page !== undefined && this.pageVotes[page] === source + 1) return false;
    if (rules.limitDomain) this.domainVotes[domain] = source + 1;
    if (rules.limitPage && page !== undefined) this.pageVotes[page] = source + 1;
    return true;
  }
}
