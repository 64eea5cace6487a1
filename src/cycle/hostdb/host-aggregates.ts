/** Aggregates the pages, visits and links of some hosts into one value a host. */
import type { Conf } from '../../core/conf/properties.js';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import {
  type HostFindings,
  type LinkFacts,
  type NumberFacts,
  homePages,
  linkFacts,
  numberFacts,
  overduePages,
  textCounts,
} from './hostdb.sql.js';

/** Fields of either kind that are aggregated. */
const MAX_FIELDS = 20;
/** Texts kept of a field, and hosts that link to a host. */
const MAX_TEXTS = 50;
const MAX_SOURCES = 20;

type Facts = Record<string, unknown>;

/** `hostdb.percentiles`: numbers from 0 to 100; other words are ignored. */
const percentilesOf = (conf: Conf): number[] =>
  conf['hostdb.percentiles'].map(Number).filter((p) => p >= 0 && p <= 100);

/** A sentence for each property that names more than is aggregated. */
export function fieldsLeftOut(conf: Conf): string[] {
  const named = {
    'hostdb.numeric.fields': conf['hostdb.numeric.fields'].length,
    'hostdb.string.fields': conf['hostdb.string.fields'].length,
    'hostdb.percentiles': percentilesOf(conf).length,
  };
  return Object.entries(named).flatMap(([name, n]) =>
    n > MAX_FIELDS
      ? [`${name} names ${n}: the last ${n - MAX_FIELDS} are left out, as HOSTDB takes ${MAX_FIELDS}`]
      : [],
  );
}

/** Home page and facts of hosts. Hosts without pages have facts too. */
export async function findingsOf(
  db: Sql,
  crawl: number,
  hosts: readonly string[],
  conf: Conf,
): Promise<Omit<HostFindings, 'resolved'>[]> {
  const facts = new Map<string, Facts>(hosts.map((host) => [host, { overdue: 0, inlinks: 0, linkingHosts: 0 }]));
  const factsOf = (host: string): Facts => facts.get(host)!;
  for (const { host, n } of await overduePages(db, crawl, hosts)) factsOf(host)['overdue'] = n;
  for (const links of await linkFacts(db, crawl, hosts, MAX_SOURCES))
    Object.assign(factsOf(links.host), linksView(links));
  const percentiles = percentilesOf(conf).slice(0, MAX_FIELDS);
  for (const field of conf['hostdb.numeric.fields'].slice(0, MAX_FIELDS)) {
    for (const { host, ...numbers } of await numberFacts(db, crawl, hosts, { field, percentiles }))
      put(factsOf(host), 'numbers', field, numbersView(numbers, percentiles));
  }
  for (const field of conf['hostdb.string.fields'].slice(0, MAX_FIELDS)) {
    const counted = new Map<string, [string, number][]>();
    for (const { host, text, n } of await textCounts(db, crawl, hosts, { field, max: MAX_TEXTS }))
      counted.set(host, [...(counted.get(host) ?? []), [text, n]]);
    for (const [host, texts] of counted) put(factsOf(host), 'strings', field, Object.fromEntries(texts));
  }
  const homes = new Map((await homePages(db, crawl, hosts)).map((home) => [home.host, home]));
  return hosts.map((host) => {
    const home = homes.get(host);
    return { host, homepage: home ? (home.target ?? unreverseUrl(home.key)) : null, facts: factsOf(host) };
  });
}

function put(facts: Facts, group: 'numbers' | 'strings', field: string, value: unknown): void {
  facts[group] = { ...(facts[group] as Facts | undefined), [field]: value };
}

const linksView = ({ links, hosts, top, topCounts }: LinkFacts): Facts => ({
  inlinks: links,
  linkingHosts: hosts,
  topLinkingHosts: Object.fromEntries(top.map((host, i) => [unreverseHost(host), topCounts[i]])),
});

const numbersView = ({ count, min, max, sum, percentiles: values }: NumberFacts, percentiles: number[]): Facts => ({
  count,
  min,
  max,
  sum,
  avg: sum / count,
  percentiles: Object.fromEntries(percentiles.map((p, i) => [String(p), values[i]])),
});
