/**
 * Variables of expressions over a host (`generate.max.count.expr`, `generate.fetch.delay.expr`): the counts of its row and
 * the results of HOSTDB, named as in Nutch 1.x `HostDatum`, percentiles and averages too: `pct95._rs_`, `avg._rs_`.
 */
import { PAGE_STATUS } from '../page/page-status.js';
import { type ValueKind, type Vocabulary, compileNumber } from './expression.js';

export interface HostRecord {
  /** Not reversed. */
  readonly host: string;
  readonly domain: string;
  readonly homepage: string | null;
  readonly dnsFailures: number;
  readonly failures: number;
  /** Pages by status code. */
  readonly counts: Readonly<Record<number, number>>;
  /** Results of HOSTDB, or null. */
  readonly hostdb: {
    readonly overdue?: number;
    readonly inlinks?: number;
    readonly linkingHosts?: number;
    readonly numbers?: Readonly<
      Record<
        string,
        { min: number; max: number; avg: number; sum: number; count: number; percentiles: Record<string, number> }
      >
    >;
  } | null;
}

const KINDS: Readonly<Record<string, ValueKind>> = {
  host: 'text',
  domain: 'text',
  homepage: 'text',
  dnsFailures: 'number',
  connectionFailures: 'number',
  numRecords: 'number',
  overdue: 'number',
  inlinks: 'number',
  linkingHosts: 'number',
  ...Object.fromEntries(Object.keys(PAGE_STATUS).map((name) => [name, 'number' as const])),
};

/** Aggregates of a numeric field of HOSTDB; 0 for a host without them. */
const OF_FIELD = /^(?:min|max|avg|sum|count|pct\d{1,3})\.\w+(?:\.\w+)*$/;

export const HOST_VOCABULARY: Vocabulary = {
  kindOf: (name) => (Object.hasOwn(KINDS, name) ? KINDS[name]! : OF_FIELD.test(name) ? 'number' : null),
  names: [
    ...Object.keys(KINDS),
    'min.<field>',
    'max.<field>',
    'avg.<field>',
    'sum.<field>',
    'count.<field>',
    'pct95.<field>',
  ],
  aliases: {},
};

export type HostNumber = (host: HostRecord) => number;

/**
 * Compiles an expression over a host whose value is a number.
 * @throws ExpressionError naming the position (from 1) and the reason
 */
export function compileHostNumber(source: string): HostNumber {
  const number = compileNumber(source, HOST_VOCABULARY);
  return (host) => number(factsOf(host));
}

function factsOf({ counts, hostdb, failures, homepage, ...rest }: HostRecord): Record<string, string | number> {
  const facts: Record<string, string | number> = {
    host: rest.host,
    domain: rest.domain,
    homepage: homepage ?? '',
    dnsFailures: rest.dnsFailures,
    connectionFailures: failures,
    numRecords: Object.values(counts).reduce((sum, n) => sum + n, 0),
    overdue: hostdb?.overdue ?? 0,
    inlinks: hostdb?.inlinks ?? 0,
    linkingHosts: hostdb?.linkingHosts ?? 0,
  };
  for (const [name, code] of Object.entries(PAGE_STATUS)) facts[name] = counts[code] ?? 0;
  for (const [field, { percentiles, ...numbers }] of Object.entries(hostdb?.numbers ?? {})) {
    for (const [name, value] of Object.entries(numbers)) facts[`${name}.${field}`] = value;
    for (const [p, value] of Object.entries(percentiles)) facts[`pct${p}.${field}`] = value;
  }
  return facts;
}
