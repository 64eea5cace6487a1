/**
 * Hosts of a crawl with their state: counts by status, updated with every write; robots.txt, shared by all crawls; and
 * when the next request may start, stored by fetch queue.
 */
import type { Conf } from '../../core/conf/properties.js';
import { statusName } from '../../core/page/page-status.js';
import { paceOf } from '../../core/politeness/pace.js';
import { type StoredRobots, meaningOfStored } from '../../core/robots/robots-status.js';
import { domainKeyOf } from '../../core/url/domain.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { paceRules, settingsOf } from '../../politeness/host-pace.js';
import { acceptedDelay } from '../../politeness/robots-gate.js';
import { type Sql, rows } from '../../db/sql.js';
import { hostCountsByCode } from '../../webpage/host-pages.sql.js';
import { type HostSettings, settingColumns } from '../../politeness/host-settings.store.js';
import { failingMs } from '../../politeness/robots.store.js';
import { behindPrefix } from '../../core/url/key-range.js';
import { hostKeyOfName, keysOfName } from './host-key.js';
import type { ConfOfHosts } from './host-conf.js';
import type { HostDto, HostPace, HostPoliteness, HostRobots } from './host.dto.js';

/** Origins returned for a host: a link can name any port. */
const MAX_ORIGINS = 10;

/** Which hosts are read, in reversed names. */
export interface HostRange {
  crawl: number;
  prefix?: string;
  domain?: string;
  after?: string;
  limit: number;
}

interface HostRow extends HostSettings {
  host: string;
  domain: string;
  /** Pages by status code. */
  counts: Record<string, number>;
  failures: number;
  drain: boolean;
  blockedUntil: Date | null;
  blockedBy: 'hand' | 'back-off' | null;
  homepage: string | null;
  metadata: Record<string, unknown> | null;
}

/** Hosts in the order of their reversed names. */
export async function hostsOf(db: Sql, range: HostRange, using: ConfOfHosts): Promise<HostDto[]> {
  const { crawl, prefix = '', domain = null, after = '', limit } = range;
  // Hosts of a domain begin with it; so do some of other domains, which the condition on the column excludes.
  const begin = domain !== null && domain.startsWith(prefix) ? domain : prefix;
  const before = behindPrefix(begin) ?? null;
  const hosts = await rows<HostRow>(db)`
    select host, domain, failures, ${settingColumns}, drain, blocked_until as "blockedUntil", blocked_by as "blockedBy",
           homepage, metadata,
           ${hostCountsByCode} as counts
      from host
     where crawl = ${crawl} and host > ${after} and host >= ${begin} and (${before}::text is null or host < ${before})
       and (${domain}::text is null or domain = ${domain})
     order by host limit ${limit}`;
  const names = hosts.map(({ host }) => host);
  const [robots, queues] = await Promise.all([robotsOf(db, names, using.conf), queuesOf(db, hosts)]);
  return hosts.map((host) => hostView(host, { robots: robots.get(host.host) ?? [], queues, using }));
}

/** The reversed form, as the crawl stores it, of a domain as people write it. */
export async function domainKeyGiven(db: Sql, crawl: number, name: string, using: ConfOfHosts): Promise<string> {
  const keys = keysOfName(name);
  for (const domain of keys.length === 1 ? [] : keys)
    if ((await hostsOf(db, { crawl, domain, limit: 1 }, using)).length > 0) return domain;
  return hostKeyOfName(name);
}

/** The ids of the fetch queues that a host may be in, except those by address. */
export const queuesOfKey = (key: string): string[] => [unreverseHost(key), unreverseHost(domainKeyOf(key))];

function hostView(
  host: HostRow,
  { robots, queues, using }: { robots: HostRobots[]; queues: Map<string, HostPoliteness>; using: ConfOfHosts },
): HostDto {
  const { failures, delayMs, minDelayMs, threads, drain, blockedUntil, blockedBy, homepage, metadata } = host;
  const [name, domain] = [unreverseHost(host.host), unreverseHost(host.domain)];
  const counts = Object.entries(host.counts).filter(([, n]) => n !== 0);
  return {
    host: name,
    key: host.host,
    domain,
    pages: counts.reduce((sum, [, n]) => sum + n, 0),
    status: Object.fromEntries(counts.map(([code, n]) => [statusName(Number(code)), n])),
    robots,
    pace: paceOfHost(host, robots, using),
    politeness: queues.get(name) ?? queues.get(domain) ?? null,
    failures,
    delayMs,
    settings: { delaySeconds: inSeconds(delayMs), minDelaySeconds: inSeconds(minDelayMs), threads },
    drain,
    blockedUntil: blockedUntil?.toISOString() ?? null,
    blockedBy: blockedUntil === null ? null : blockedBy,
    homepage,
    metadata: metadata ?? {},
  };
}

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

/** The pace of FETCH with this configuration; other hosts of the same queue may slow it down further. */
function paceOfHost(host: HostRow, robots: readonly HostRobots[], { conf, job }: ConfOfHosts): HostPace {
  const delays = robots.flatMap(({ state, crawlDelay }) =>
    state === 'rules' && crawlDelay !== null ? [crawlDelay] : [],
  );
  const accepted = delays.length === 0 ? null : acceptedDelay(Math.max(...delays), conf);
  const { pace, source } = paceOf(paceRules(conf), settingsOf(host, conf), accepted);
  const mode = conf['fetcher.queue.mode'];
  return {
    queue: mode === 'byIP' ? null : unreverseHost(mode === 'byDomain' ? host.domain : host.host),
    delaySeconds: (pace.threads > 1 ? pace.minDelayMs : pace.delayMs) / 1000,
    threads: pace.threads,
    source,
    refused: delays.length > 0 && accepted === null,
    job,
  };
}

/** The stored robots.txt files of hosts, a few origins of each. */
async function robotsOf(db: Sql, hosts: string[], conf: Conf): Promise<Map<string, HostRobots[]>> {
  const robotsFiles = await rows<{
    host: string;
    origin: string;
    httpStatus: number | null;
    fetchedAt: Date;
    expiresAt: Date;
    age: number;
    expired: boolean;
    bytes: number;
    crawlDelay: number | null;
    error: string | null;
    failures: number;
    failingMs: number;
  }>(db)`
    select host, origin, http_status as "httpStatus", fetched_at as "fetchedAt", expires_at as "expiresAt",
           greatest(0, extract(epoch from now() - fetched_at))::float8 as age, expires_at <= now() as expired,
           coalesce(octet_length(body), 0) as bytes, crawl_delay as "crawlDelay", error, failures,
           ${failingMs} as "failingMs"
      from (select *, row_number() over (partition by host order by origin) as ordinal
              from robots where host = any (${hosts}::text[])) r
     where ordinal <= ${MAX_ORIGINS}
     order by host, origin`;
  const byHost = new Map<string, HostRobots[]>();
  for (const { host, age, fetchedAt, expiresAt, failingMs: failing, ...robots } of robotsFiles) {
    const shown = {
      ...robots,
      state: stateOf({ ...robots, failingMs: failing }, conf),
      fetchedAt: fetchedAt.toISOString(),
      ageSeconds: Math.round(age),
      expiresAt: expiresAt.toISOString(),
    };
    byHost.set(host, [...(byHost.get(host) ?? []), shown]);
  }
  return byHost;
}

function stateOf(stored: StoredRobots, conf: Conf): string {
  const meaning = meaningOfStored(stored, conf);
  return meaning === 'parse' ? 'rules' : meaning;
}

/** Fetch queues by id: the name of the host or of the domain. */
async function queuesOf(db: Sql, hosts: readonly HostRow[]): Promise<Map<string, HostPoliteness>> {
  const ids = new Set(hosts.flatMap(({ host, domain }) => [unreverseHost(host), unreverseHost(domain)]));
  const queues = await rows<{ queue: string; nextAt: Date; leaseUntil: Date; blockedUntil: Date | null }>(db)`
    select queue_id as queue, next_at as "nextAt", lease_until as "leaseUntil", blocked_until as "blockedUntil"
      from politeness
     where queue_id = any (${[...ids]}::text[])`;
  return new Map(
    queues.map(({ queue, nextAt, leaseUntil, blockedUntil }) => [
      queue,
      {
        queue,
        nextAt: nextAt.toISOString(),
        leaseUntil: leaseUntil.toISOString(),
        blockedUntil: blockedUntil?.toISOString() ?? null,
      },
    ]),
  );
}
