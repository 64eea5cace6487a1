/**
 * Numbers by host that properties compute for GENERATE: the maximum number of pages in a batch (`generate.max.count.expr`),
 * and the delay of FETCH between two of them (`generate.fetch.delay.expr`). Both are expressions over the row of the host and
 * the findings of HOSTDB. In Nutch they need `generate.hostdb`; here the host table is always available.
 */
import { MAX_DELAY_MS } from '../../core/politeness/pace.js';
import type { Conf } from '../../core/conf/properties.js';
import { PropertyRefused } from '../../core/conf/property-refused.js';
import { ExpressionError } from '../../core/frontier/expression-tokens.js';
import { type HostNumber, compileHostNumber } from '../../core/frontier/host-variables.js';
import type { Sql } from '../../db/sql.js';
import { hostRecords } from './host-numbers.sql.js';

const EXPRESSIONS = ['generate.max.count.expr', 'generate.fetch.delay.expr'] as const;

interface Numbers {
  maxCount: HostNumber | null;
  delay: HostNumber | null;
}

/**
 * The expressions of a configuration; null if there is none.
 * @throws PropertyRefused naming the property, the position and the reason
 */
export function hostExpressions(conf: Conf): Numbers {
  const [maxCount = null, delay = null] = EXPRESSIONS.map((name) => {
    try {
      return conf[name].trim() === '' ? null : compileHostNumber(conf[name]);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new PropertyRefused(name, `Property ${name} cannot be used: ${error.message}.`, { cause: error });
    }
  });
  return { maxCount, delay };
}

export class HostNumbers {
  private readonly numbers: Numbers;
  private readonly hosts = new Map<string, { maxCount: number | null; delay: number | null }>();
  /** By group: the host, or the first host of a domain or address. */
  private readonly groups = new Map<string, number | null>();
  /** With an expression for it: delays of the hosts that have pages in the batch, ms; null: none by the expression. */
  readonly delays = new Map<string, number | null>();

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
    if (this.numbers.delay === null) return;
    const delay = this.hosts.get(host)?.delay ?? -1;
    this.delays.set(host, delay >= 0 ? Math.round(Math.min(delay, MAX_DELAY_MS)) : null);
  }
}
