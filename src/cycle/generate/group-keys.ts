/**
 * The keys by which pages are counted and partitioned: the host, its registrable domain, or its address.
 * Addresses are looked up once per host and run, a few at a time; a host without one is a group of its own (Nutch byIP).
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainKeyOf } from '../../core/url/domain.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { type Sql, keepAlive } from '../../db/sql.js';
import { withoutBrackets } from '../../core/url/ip-host.js';

const LOOKUPS_AT_ONCE = 25;
const LOOKUP_MS = 5_000;

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
   */
  constructor(modes: { partition: string; count: string }, together: readonly string[] = []) {
    this.partition = modeOf(modes.partition);
    this.count = modeOf(modes.count);
    this.together = new Set(together.map((host) => host.toLowerCase()));
  }

  /**
   * Looks up the addresses of new hosts, if a mode needs them. After each few of them it sends a statement on `tx`:
   * PostgreSQL ends a transaction that is idle for 30 s.
   *
   * @param enough whether to leave the rest
   */
  async resolve(tx: Sql, pages: { host: string }[], enough: () => boolean): Promise<void> {
    if (this.partition !== 'ip' && this.count !== 'ip') return;
    const hosts = [...new Set(pages.map(({ host }) => host))].filter(
      (host) => host !== '' && !this.addresses.has(host),
    );
    for (let from = 0; from < hosts.length && !enough(); from += LOOKUPS_AT_ONCE) {
      await Promise.all(hosts.slice(from, from + LOOKUPS_AT_ONCE).map((host) => this.resolveOne(host)));
      await keepAlive(tx);
    }
  }

  private async resolveOne(host: string): Promise<void> {
    const name = withoutBrackets(unreverseHost(host));
    if (isIP(name) === 0) this.lookedUp++;
    const none = new Promise<null>((end) => setTimeout(end, LOOKUP_MS, null).unref());
    const resolved = await Promise.race([lookup(name).catch(() => null), none]);
    this.addresses.set(host, resolved?.address ?? host);
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
