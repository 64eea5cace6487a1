/**
 * HOSTDB: facts about the hosts of a crawl (Nutch 1.x `updatehostdb`).
 *
 * The row of a host already has its number of pages by status, updated with every write. This job adds what has to be counted or
 * looked up: whether the host has an address, its home page, percentiles of numbers, counts of texts, the hosts that link to
 * it, its number of overdue pages. It reads the hosts in key order in chunks of bounded size; each chunk is one transaction
 * with the cursor, so a later attempt continues after it, and a second run changes only what has changed.
 */
import { domainToUnicode } from 'node:url';
import { chunksOf } from '../../core/bounded-chunks.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { byBytes } from '../../core/byte-order.js';
import { reverseHost, unreverseHost } from '../../core/url/row-key.js';
import { systemResolve } from '../../net/resolver.js';
import type { Resolve } from '../../core/address/egress-guard.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { readCancellably } from '../../db/cancel.js';
import { isStopping } from '../halt.js';
import type { Count, Run, Step } from '../step.js';
import { refuseUnwritten } from '../require-pages.js';
import { type CheckRules, resolveHosts, shouldCheck } from './dns-check.js';
import { fieldsLeftOut, findingsOf } from './host-aggregates.js';
import { type HostLine, readHostLines } from '../../core/page/host-lines.js';
import { knownHosts } from '../../webpage/host-pages.sql.js';
import type { HostDbArgs } from './hostdb.args.js';
import { type HostRow, injectHosts, saveFindings, nextHostRows, purgeFailed } from './hostdb.sql.js';

/** Maximum number of hosts in a chunk; fewer if they have many pages. */
const CHUNK = 200;
const PAGES_AT_ONCE = 100_000;
const LINES_AT_ONCE = 1_000;

interface Plan extends Record<string, unknown> {
  parts: number;
}

@Injectable()
export class HostDbJob implements Step<HostDbArgs> {
  /** Resolves names to addresses; a test may set its own. */
  resolve: Resolve = systemResolve;

  async run(run: Run<HostDbArgs>): Promise<TaskOutcome> {
    const plan = await run.plan<Plan>(async () => {
      if (!(await run.lock('HOSTDB'))) return null;
      await refuseUnwritten(run);
      for (const sentence of fieldsLeftOut(run.conf)) await run.warn(sentence);
      return { parts: 1 };
    });
    if (plan === null) return { reason: 'stopped' };
    if (run.stopping.aborted) return { reason: 'stopped' };
    if (run.progress?.['after'] === undefined) await inject(run);
    const rules = (run.args.filter ?? run.conf['hostdb.url.filter']) ? makeUrlRules(run.conf) : null;
    for (let after = String(run.progress?.['after'] ?? ''); ;) {
      if (isStopping(run)) return { reason: 'stopped' };
      const hosts = fitting(await nextHostRows(run.pool, run.job.crawl, after, CHUNK));
      const last = hosts.at(-1);
      if (last === undefined) return { reason: 'done' };
      await this.chunk(run, hosts, rules);
      after = last.host;
      void run.report(`hosts up to ${unreverseHost(after)}`);
    }
  }

  private async chunk(run: Run<HostDbArgs>, allHosts: HostRow[], rules: UrlRules | null): Promise<void> {
    const { conf, job } = run;
    const signal = AbortSignal.any([run.stopping, run.aborted]);
    const hosts = rules === null ? allHosts : allHosts.filter(({ host }) => isWanted(host, rules, run));
    const names = hosts.map(({ host }) => host);
    const checks = checkRules(run);
    const resolved = await resolveHosts(
      hosts.filter((host) => shouldCheck(host, checks)).map(({ host }) => host),
      { resolve: this.resolve, threads: conf['hostdb.num.resolvers.threads'], signal },
    );
    // Names that were not looked up because of the stop are no findings: the chunk is done again.
    if (signal.aborted) return;
    const findings = await factsUntil(signal, run, names);
    if (findings === null) return;
    const threshold = conf['hostdb.purge.failed.hosts.threshold'];
    await run.write(
      async (tx, count) => {
        await saveFindings(
          tx,
          job.crawl,
          findings.map((finding) => ({ ...finding, resolved: resolved.get(finding.host) ?? null })),
        );
        count('UpdateHostDb', 'total_hosts', allHosts.length);
        count('UpdateHostDb', 'filtered_records', allHosts.length - hosts.length);
        countChecks(count, hosts, resolved);
        if (threshold >= 0)
          count('UpdateHostDb', 'purged_unknown_host', await purgeFailed(tx, job.crawl, names, threshold));
      },
      { after: allHosts.at(-1)!.host },
    );
  }
}

/** Facts about hosts from the tables; null when the job was halted meanwhile: a host of millions of pages takes minutes. */
async function factsUntil(signal: AbortSignal, { pool, job, conf }: Run<HostDbArgs>, hosts: string[]) {
  if (hosts.length === 0) return [];
  try {
    return await readCancellably(pool, signal, (db) => findingsOf(db, job.crawl, hosts, conf));
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Adds the metadata for hosts in the arguments. A repetition changes nothing. */
async function inject(run: Run<HostDbArgs>): Promise<void> {
  if (run.args.hosts === undefined) return;
  const { hosts: lines, refused, leftOut } = readHostLines(run.args.hosts);
  const hosts = await asStored(run, lines);
  for (const chunk of chunksOf(hosts, LINES_AT_ONCE)) await run.write((tx) => injectHosts(tx, run.job.crawl, chunk));
  await run.write(
    (_, count) => {
      count('UpdateHostDb', 'hosts_injected', hosts.length);
      count('UpdateHostDb', 'hosts_refused', refused);
      count('UpdateHostDb', 'metadata_refused', leftOut);
      return Promise.resolve();
    },
    { after: '' },
  );
}

/** The lines with hosts as the crawl has them, or would store them: names outside ASCII may be in Unicode. In key order. */
async function asStored({ pool, job, conf }: Run<HostDbArgs>, lines: readonly HostLine[]): Promise<HostLine[]> {
  const inUnicode = new Map(
    lines.map(({ host }) => [host, reverseHost(domainToUnicode(unreverseHost(host))) || host] as const),
  );
  const others = [...inUnicode].filter(([host, other]) => host !== other);
  if (others.length === 0) return [...lines];
  const known = await knownHosts(pool, job.crawl, others.flat());
  const isUnicode = conf['urlnormalizer.basic.host.idn'] === 'toUnicode';
  return lines
    .map((line) => {
      const other = inUnicode.get(line.host)!;
      return !known.has(line.host) && (known.has(other) || isUnicode) ? { ...line, host: other } : line;
    })
    .sort((a, b) => byBytes(a.host, b.host));
}

/** The first hosts that have not too many pages together; at least one. */
function fitting(hosts: HostRow[]): HostRow[] {
  let pages = 0;
  const end = hosts.findIndex((host, i) => (pages += host.pages) > PAGES_AT_ONCE && i > 0);
  return end < 0 ? hosts : hosts.slice(0, end);
}

function checkRules({ args, conf }: Run<HostDbArgs>): CheckRules {
  return {
    checkNew: args.checkAll || (args.checkNew ?? conf['hostdb.check.new']),
    checkKnown: args.checkAll || (args.checkKnown ?? conf['hostdb.check.known']),
    checkFailed: args.checkAll || (args.checkFailed ?? conf['hostdb.check.failed']),
    force: args.force ?? conf['hostdb.force.check'],
    recheckMs: conf['hostdb.recheck.interval'],
  };
}

/** Whether the URL filters accept the home page of a host, by any scheme that is crawled. */
function isWanted(host: string, rules: UrlRules, { args, conf }: Run<HostDbArgs>): boolean {
  const switches = { normalize: args.normalize ?? conf['hostdb.url.normalize'], filter: true };
  return ['http', 'https', ...rules.schemes].some(
    (scheme) => 'url' in rules.admit(`${scheme}://${unreverseHost(host)}/`, 'default', switches),
  );
}

/** Counts in the names of 1.x. */
function countChecks(count: Count, hosts: readonly HostRow[], resolved: ReadonlyMap<string, boolean>): void {
  count('UpdateHostDb', 'checked_hosts', resolved.size);
  for (const { host, ageMs, dnsFailures } of hosts) {
    const isResolved = resolved.get(host);
    if (isResolved === undefined) continue;
    if (isResolved)
      count(
        'UpdateHostDb',
        ageMs === null ? 'new_known_host' : dnsFailures > 0 ? 'rediscovered_host' : 'existing_known_host',
      );
    else count('UpdateHostDb', ageMs === null ? 'new_unknown_host' : 'existing_unknown_host');
  }
}
