/**
 * Numbers by host that properties compute for GENERATE: the maximum number of pages in a batch (`generate.max.count.expr`),
 * and the delay of FETCH between two of them (`generate.fetch.delay.expr`). Both are expressions over the row of the host and
 * the findings of HOSTDB. In Nutch they need `generate.hostdb`; here the host table is always available.
 */
import { MAX_DELAY_MS } from '../../core/politeness/pace.js';
import type { Conf } from '../../core/conf/properties.js';
import { ExpressionError } from '../../core/frontier/expression-tokens.js';
import { type HostNumber, type HostRecord, compileHostNumber } from '../../core/frontier/host-variables.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import { hostCountsByCode } from '../../webpage/host-pages.sql.js';

const EXPRESSIONS = ['generate.max.count.expr', 'generate.fetch.delay.expr'] as const;

interface Numbers {
  maxCount: HostNumber | null;
  delay: HostNumber | null;
}

/**
 * The expressions of a configuration; null if there is none.
 * @throws Error naming the property, the position and the reason
 */
export function hostExpressions(conf: Conf): Numbers {
  const [maxCount = null, delay = null] = EXPRESSIONS.map((name) => {
    try {
      return conf[name].trim() === '' ? null : compileHostNumber(conf[name]);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new Error(`Property ${name} cannot be used: ${error.message}.`, { cause: error });
    }
  });
  return { maxCount, delay };
}

export class HostNumbers {
  private readonly numbers: Numbers;
  private readonly hosts = new Map<string, { maxCount: number | null; delay: number | null }>();
  /** By group: the host, or the first host of a domain or address. */
  private readonly groups = new Map<string, number | null>();
  /** Delays of the hosts that have pages in the batch, ms. */
  readonly delays = new Map<string, number>();

  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    conf: Conf,
  ) {
    this.numbers = hostExpressions(conf);
  }

  /** Reads the hosts of pages that were not read yet. */
  async load(pages: readonly { host: string }[]): Promise<void> {
    const { maxCount, delay } = this.numbers;
    if (maxCount === null && delay === null) return;
    const fresh = [...new Set(pages.map(({ host }) => host))].filter((host) => !this.hosts.has(host));
    if (fresh.length === 0) return;
    for (const [host, record] of await hostRecords(this.tx, this.crawl, fresh))
      this.hosts.set(host, { maxCount: maxCount && maxCount(record), delay: delay && delay(record) });
  }

  /**
   * Maximum number of pages of a group; undefined: use `generate.max.count`. As in Nutch a number that is not above 0 means
   * no limit.
   */
  maxCount(group: string, host: string): number | undefined {
    if (this.numbers.maxCount === null) return undefined;
    if (!this.groups.has(group)) this.groups.set(group, this.hosts.get(host)?.maxCount ?? null);
    const max = this.groups.get(group);
    if (max === null || max === undefined || Number.isNaN(max)) return undefined;
    return Math.round(max) > 0 ? Math.round(max) : Infinity;
  }

  /** A page of this host is in the batch. */
  selected(host: string): void {
    const delay = this.hosts.get(host)?.delay;
    if (typeof delay === 'number' && delay >= 0) this.delays.set(host, Math.round(Math.min(delay, MAX_DELAY_MS)));
  }
}

/** Counts and HOSTDB facts of hosts, by reversed host. */
async function hostRecords(db: Sql, crawl: number, hosts: readonly string[]): Promise<Map<string, HostRecord>> {
  const found = await rows<HostRecord>(db)`
    select h.host, domain, homepage, failures, dns_failures as "dnsFailures", hostdb as found,
           ${hostCountsByCode} as counts
      from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[]) as asked (crawl, host)
      join host h on h.crawl = asked.crawl and h.host = asked.host`;
  return new Map(
    found.map((row) => [row.host, { ...row, host: unreverseHost(row.host), domain: unreverseHost(row.domain) }]),
  );
}

/**
 * Stores the delays of hosts for FETCH (1.x `_variableFetchDelay_`). The value for an earlier batch is replaced.
 * @param delays by reversed host, ms
 */
export async function saveDelays(tx: Sql, crawl: number, delays: ReadonlyMap<string, number>): Promise<void> {
  const hosts = [...delays.keys()];
  // With an OR and an empty list, all hosts of the crawl would be read.
  const chosen = hosts.length === 0 ? fragment`` : fragment`or h.host = any (${hosts}::text[])`;
  await tx.query(sql`
    with wanted as (select * from unnest(${hosts}::text[], ${[...delays.values()]}::int[]) as wanted (host, ms)),
         locked as (select h.crawl, h.host, wanted.ms from host h left join wanted on wanted.host = h.host
                   where h.crawl = ${crawl} and (h.fetch_delay_ms is not null ${chosen})
                     and h.fetch_delay_ms is distinct from wanted.ms
                   order by h.host ${lockInOrder(fragment`h`)})
    update host h set fetch_delay_ms = locked.ms from locked where h.crawl = locked.crawl and h.host = locked.host`);
}
