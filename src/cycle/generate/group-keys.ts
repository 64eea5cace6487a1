/**
 * The keys by which pages are counted and partitioned: the host, its registrable domain, or its address.
 * Addresses are looked up once per host and run, a few at a time; a host without one is a group of its own (Nutch byIP).
 */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '../../core/bounded-chunks.js';
import type { Resolve } from '../../core/address/egress-guard.js';
import { domainKeyOf } from '../../core/url/domain.js';
import { hostForRules } from '../../core/url/idn.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { type Sql, keepAlive } from '../../db/sql.js';
import { withoutBrackets } from '../../core/url/ip-host.js';
import { addressLookups } from '../../net/bounded-lookups.js';
import { systemResolve } from '../../net/resolver.js';

const LOOKUPS_AT_ONCE = 25;
/** From the start of a look-up; a host without an address by then is a group of its own. */
const MAX_LOOKUP_MS = 5_000;
/** Interval at which a wait for look-ups uses its transaction, which PostgreSQL ends when it is idle for 30 s, and asks `enough`. */
const CHECK_MS = 1_000;

type Mode = 'host' | 'domain' | 'ip';

const modeOf = (name: string): Mode => {
  const lower = name.toLowerCase();
  return lower.endsWith('domain') ? 'domain' : lower.endsWith('ip') ? 'ip' : 'host';
};

export class GroupKeys {
  private readonly partition: Mode;
  private readonly count: Mode;
  private readonly addresses = new Map<string, string>();
  private readonly domains = new Map<string, string>();
  lookedUp = 0;

  private readonly together: ReadonlySet<string>;

  /**
   * @param modes `partition`: byHost, byDomain or byIP; `count`: host, domain or ip; unknown means host
   * @param together hosts that form one partition whatever the mode (`partition.hosts`)
   * @param lookUp the addresses of a host; fails or returns none if there is none
   */
  constructor(
    modes: { partition: string; count: string },
    together: readonly string[] = [],
    private readonly lookUp: Resolve = systemResolve,
  ) {
    this.partition = modeOf(modes.partition);
    this.count = modeOf(modes.count);
    this.together = new Set(together.map(hostForRules));
  }

  /**
   * Looks up the addresses of new hosts, if a mode needs them. Meanwhile it sends a statement on `tx` now and then.
   *
   * @param enough whether to leave the rest, also of those that have begun
   */
  async resolve(tx: Sql, pages: { host: string }[], enough: () => boolean): Promise<void> {
    if (this.partition !== 'ip' && this.count !== 'ip') return;
    const hosts = [...new Set(pages.map(({ host }) => host))].filter(
      (host) => host !== '' && !this.addresses.has(host),
    );
    for (const some of chunksOf(hosts, LOOKUPS_AT_ONCE)) if (!enough()) await this.resolveSome(tx, some, enough);
  }

  /** Names before them whose name servers are dead may take all look-ups that run at once, for longer than a transaction may idle. */
  private async resolveSome(tx: Sql, hosts: readonly string[], enough: () => boolean): Promise<void> {
    const resolved = Promise.all(hosts.map((host) => this.resolveOne(host)));
    const ended = new AbortController();
    try {
      for (let isResolved = false; !isResolved && !enough();) {
        const late = sleep(CHECK_MS, false, { signal: ended.signal, ref: false }).catch(() => false);
        isResolved = await Promise.race([resolved.then(() => true), late]);
        await keepAlive(tx);
      }
    } finally {
      ended.abort();
    }
  }

  private async resolveOne(host: string): Promise<void> {
    const name = withoutBrackets(unreverseHost(host));
    if (isIP(name) === 0) this.lookedUp++;
    const lookUp = () => this.lookUp(name).catch(() => []);
    const addresses = await addressLookups.run(lookUp, { maxMs: MAX_LOOKUP_MS });
    this.addresses.set(host, addresses?.[0] ?? host);
  }

  /** @param host a reversed host */
  partitionKey(host: string): string {
    return this.together.has(unreverseHost(host)) ? 'partition.hosts' : this.keyOf(this.partition, host);
  }

  /** @param host a reversed host */
  countKey(host: string): string {
    return this.keyOf(this.count, host);
  }

  private keyOf(mode: Mode, host: string): string {
    if (mode === 'host') return unreverseHost(host);
    if (mode === 'ip') return this.addresses.get(host) ?? host;
    let domain = this.domains.get(host);
    if (domain === undefined) this.domains.set(host, (domain = unreverseHost(domainKeyOf(host))));
    return domain;
  }
}
