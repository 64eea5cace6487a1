/**
 * One fetch as FETCH would do it, reported in full and not stored: robots.txt first, then the guarded client with the
 * limits of the configuration, then the decision on a redirect. The decisions are made by the job's own code. It does not
 * wait for the lease and the delay of the fetch queue: it is a single request of a user.
 */
import type { UrlRules } from '../../core/url/url-rules.js';
import { ownPorts } from '../../db/listen-addresses.js';
import { Injectable } from '@nestjs/common';
import type { Conf } from '../../core/conf/properties.js';
import { statusName } from '../../core/page/page-status.js';
import { protocolName, statusOfProtocol } from '../../core/page/protocol-status.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import type { Visited, Waiting } from '../../cycle/fetch/fetch.sql.js';
import { fetchLimitsOf } from '../../plugin/http-protocol.js';
import { ProtocolClients } from '../../plugin/protocols.js';
import { type RedirectVerdict, isMoved, judgeRedirect, redirectTime } from '../../core/url/redirect-rules.js';
import { Visits, unvisited } from '../../cycle/fetch/visit.js';
import type { HttpAnswer } from '../../net/http-answer.js';
import type { FetchLimits } from '../../net/http-client.js';
import { requestHeaders } from '../../core/http/request-headers.js';
import { systemResolve } from '../../net/resolver.js';
import { refuseImpossibleFetch } from '../config/config.problems.js';
import { Database } from '../database.js';
import type { PageProtocolStatus } from '../page/page.dto.js';
import { valueRefused } from '../refused-fields.js';
import { ServerControl } from '../server-control.js';
import { ConfRules } from './conf-rules.js';
import { answerReasons, redirectReasons, rulesReasons } from './fetch-decisions.js';
import type { FetchHop, FetchRedirect, FetchTimings, InspectFetch, InspectedFetch } from './fetch.dto.js';
import { type Reason, blocked } from './reason.js';
import { unspokenReasons } from './rule-reasons.js';
import { type RobotsAnswered, askRobots, unasked } from './robots-inspector.js';
import { gateWithoutRobots } from '../../politeness/robots-gate.js';

/** Milliseconds for one hop, and bytes of a body, even if the configuration allows more: a user waits for the answer. */
const HOP_MS = 20_000;
const MAX_BYTES = 16_777_216;
const MAX_HOPS = 10;

interface Trip {
  conf: Conf;
  rules: UrlRules;
  client: ProtocolClients;
  visits: Visits;
  /** Milliseconds of the last look-up; null when there was none in this hop. */
  dns: { ms: number | null };
}

interface Hop {
  hop: FetchHop;
  visit: Visited;
  answer: HttpAnswer | null;
  reasons: Reason[];
  /** The URL that FETCH requests next. */
  next: string | null;
}

@Injectable()
export class FetchInspector {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfRules,
    private readonly server: ServerControl,
  ) {}

  /** Throws FIELDS_INVALID, CONFIG_ID_UNKNOWN, FETCH_IMPOSSIBLE; never because of an answer of a server. */
  async inspect({ url: givenUrl, confId }: InspectFetch): Promise<InspectedFetch> {
    const { conf, rules } = await this.confs.read(confId);
    refuseImpossibleFetch(conf, confId);
    const admission = rules.admit(givenUrl, 'fetcher', { normalize: true, filter: false });
    if ('rejected' in admission) throw notToBeFetched(givenUrl, admission.rejected);
    return this.follow({ conf, rules, url: admission.url, key: admission.key });
  }

  private async follow(start: { conf: Conf; rules: UrlRules; url: string; key: string }): Promise<InspectedFetch> {
    const { conf, rules } = start;
    const dns: Trip['dns'] = { ms: null };
    const ports = await ownPorts(this.database.pool, this.server.port);
    const client = new ProtocolClients(conf, { ownPorts: ports, resolve: timed(dns) });
    const trip: Trip = { conf, rules, client, dns, visits: new Visits(conf, rules) };
    const hops: Hop[] = [];
    try {
      for (let url: string | null = start.url; url !== null;) {
        const hop: Hop = await this.hop(trip, url, hops.length);
        hops.push(hop);
        url = hop.next;
        const end = url === null ? null : endOfTrip(hops, url);
        if (end === null) continue;
        hop.reasons.push(end);
        url = null;
      }
    } finally {
      client.close();
    }
    return inspectedFetch(start.url, hops, rulesReasons(rules, start.url));
  }

  private async hop(trip: Trip, url: string, before: number): Promise<Hop> {
    const page = waitingPage(trip.rules, url);
    const { conf, client, visits, dns } = trip;
    const { verdict: ofGate, robots, reasons } = await this.gate(trip, url);
    if (ofGate.kind === 'skip') {
      const visit = unvisited(page, url, ofGate);
      const hop = { url, robots, status: null, protocolStatus: protocolOf(visit), timings: null, redirect: null };
      return { hop, visit, answer: null, reasons, next: null };
    }
    dns.ms = null;
    const started = performance.now();
    const answer = await client.fetch({ url, headers: requestHeaders(conf) }, boundedLimits(conf));
    const total = performance.now() - started;
    const visit = visits.visitOf(page, url, answer);
    const verdict =
      answer.ok && isMoved(visit.protocolCode)
        ? judgeRedirect({ url, key: page.key }, answer.headers['location'], trip)
        : null;
    const redirect = verdict && redirectOf(verdict, answer, redirectTime(before, conf));
    const timings = timingsOf(answer, { dns: dns.ms, total });
    const hop = { url, robots, status: visit.httpStatus, protocolStatus: protocolOf(visit), timings, redirect };
    const message =
      verdict && redirect ? redirectReasons(url, verdict, redirect.decision) : answerReasons(url, answer, visit);
    const next =
      redirect?.decision === 'followed' && verdict?.admission && 'url' in verdict.admission
        ? verdict.admission.url
        : null;
    return { hop, visit, answer, reasons: [...reasons, ...message], next };
  }

  /** Whether FETCH would send the request: robots.txt decides about HTTP alone. */
  private async gate({ client, conf }: Trip, url: string): Promise<RobotsAnswered> {
    if (client.kindOf(url) === 'http') return askRobots({ pool: this.database.pool, client, conf }, url);
    const verdict = gateWithoutRobots(url, client.kindOf(url));
    const reasons = unspokenReasons(url, conf);
    const why = reasons.length === 0 ? 'its protocol has no robots.txt' : 'no active protocol fetches its scheme';
    return { verdict, robots: unasked(why), reasons };
  }
}

/** Why a redirect is not followed further, or null. */
function endOfTrip(hops: readonly Hop[], next: string): Reason | null {
  if (hops.some(({ hop }) => hop.url === next)) {
    return blocked('REDIRECT_REFUSED', `${next} was visited already: no page is visited twice in a run.`, {
      url: next,
    });
  }
  if (hops.length < MAX_HOPS) return null;
  return blocked('REDIRECT_REFUSED', `An inspection sends at most ${MAX_HOPS} requests.`, { url: next });
}

export const notToBeFetched = (given: string, why: string) =>
  valueRefused('url', given, `a URL of an active protocol that can be stored: ${why}`);

/** A resolver that records how long it took. */
const timed = (dns: Trip['dns']) => async (hostname: string) => {
  const started = performance.now();
  try {
    return await systemResolve(hostname);
  } finally {
    dns.ms = performance.now() - started;
  }
};

function boundedLimits(conf: Conf): FetchLimits {
  const limits = fetchLimitsOf(conf);
  return {
    ...limits,
    totalTimeout: Math.min(limits.totalTimeout, HOP_MS),
    maxContent: Math.min(limits.maxContent, MAX_BYTES),
  };
}

/** The page as if it were read from a batch. */
function waitingPage(rules: UrlRules, url: string): Waiting {
  const admission = rules.admit(url, 'fetcher', { normalize: false, filter: false });
  const key = 'rejected' in admission ? '' : admission.key;
  const unknown = {
    status: 1,
    score: 0,
    etag: null,
    lastModified: null,
    signature: null,
    unparsed: true,
    robotsTag: null,
    representative: null,
  };
  return { host: hostKeyOf(key), key, mark: '', hash: 0, ...unknown };
}

const protocolOf = ({ protocolCode: code, protocolArgs: args }: Visited): PageProtocolStatus => ({
  code,
  name: protocolName(code),
  args,
});

function redirectOf(
  { target, refused }: RedirectVerdict,
  answer: HttpAnswer,
  time: ReturnType<typeof redirectTime>,
): FetchRedirect {
  const decisions = { now: 'followed', later: 'later', never: 'dropped' } as const;
  const location = answer.ok ? (answer.headers['location'] ?? null) : null;
  return { location, target, decision: refused === null ? decisions[time] : 'refused' };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);

function timingsOf(answer: HttpAnswer, { dns, total }: { dns: number | null; total: number }): FetchTimings {
  const timings = answer.ok ? answer.timings : undefined;
  const open = timings?.openMs ?? null;
  return {
    dns: rounded(dns),
    connect: rounded(open === null ? null : Math.max(0, open - (dns ?? 0))),
    firstByte: rounded(timings?.firstByteMs ?? null),
    total: rounded(total) ?? 0,
  };
}

function inspectedFetch(url: string, hops: readonly Hop[], first: Reason[]): InspectedFetch {
  const { hop, visit, answer } = hops.at(-1)!;
  const success = answer?.ok ? answer : null;
  return {
    url,
    finalUrl: hop.url,
    hops: hops.map(({ hop }) => hop),
    status: hop.status,
    headers: { ...success?.headers },
    contentType: success?.headers['content-type'] ?? null,
    bytes: success?.body.length ?? null,
    wireBytes: success?.wireBytes ?? null,
    truncated: success === null || success.truncated === false ? null : success.truncated,
    protocolStatus: hop.protocolStatus,
    pageStatus: statusName(statusOfProtocol(visit.protocolCode)),
    timings: hop.timings,
    decisions: [...first, ...hops.flatMap(({ reasons }) => reasons)],
  };
}
