/**
 * Evaluates the robots.txt of a URL as FETCH does: with the same cache in the database and the same guarded client. At most one
 * request for the file, with a timeout of some seconds; its answer is cached as if FETCH had sent the request.
 */
import type { Pool } from 'pg';
import type { Conf } from '../../core/conf/properties.js';
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import { fetchLimitsOf } from '../../plugin/http-protocol.js';
import { RobotsCache } from '../../politeness/robots-cache.js';
import { type RobotsDecision, decideRobots } from '../../politeness/robots-gate.js';
import type { HttpClient } from '../../net/http-client.js';
import { requestHeaders } from '../../core/http/request-headers.js';
import { type Reason, blocked } from './reason.js';
import type { UrlRobots } from './url.dto.js';

export const ROBOTS_MS = 8_000;

export interface RobotsAsker {
  pool: Pool;
  client: Pick<HttpClient, 'fetch'>;
  conf: Conf;
}

/** The verdict of robots.txt on a URL, and the reason that follows from it. */
export interface RobotsFinding {
  robots: UrlRobots;
  reasons: Reason[];
}

/** A finding with what FETCH would do. */
export interface RobotsAnswered extends RobotsFinding {
  verdict: RobotsDecision['verdict'];
}

/** Evaluates robots.txt for an http or https URL. Never rejects because of an answer of a server. */
export async function askRobots({ pool, client, conf }: RobotsAsker, url: string): Promise<RobotsAnswered> {
  const signal = AbortSignal.timeout(ROBOTS_MS);
  const headers = requestHeaders(conf);
  const cache = new RobotsCache({ db: pool, client, conf, headers, limits: fetchLimitsOf(conf), signal });
  const { meaning, fetched } = await cache.get(new URL(url).origin).finally(() => cache.close());
  const late = { kind: 'wait', why: `robots.txt did not come within ${ROBOTS_MS / 1_000} s` } as const;
  const inTime = signal.aborted ? late : meaning;
  return finding(decideRobots(cache, inTime, { url, conf }), { state: inTime.kind, fetched });
}

/** The verdict on a URL whose robots.txt was not requested. */
export const unasked = (why: string): UrlRobots => ({
  state: 'not-asked',
  allowed: null,
  crawlDelay: null,
  delaySeconds: null,
  agents: [],
  line: null,
  why,
  fetched: false,
});

function finding(
  { verdict, line, crawlDelay, agents }: RobotsDecision,
  { state, fetched }: { state: UrlRobots['state']; fetched: boolean },
): RobotsAnswered {
  const delaySeconds = verdict.kind === 'go' && verdict.delayMs !== null ? verdict.delayMs / 1_000 : null;
  const seen = { state, crawlDelay, delaySeconds, agents: [...agents], line, fetched };
  if (verdict.kind === 'go') return { verdict, robots: { ...seen, allowed: true, why: null }, reasons: [] };
  const why = verdict.args.join(' ');
  const isDeferred = verdict.code === PROTOCOL_STATUS.RETRY;
  const property = 'http.robots.503.defer.visits';
  const reason = isDeferred
    ? blocked('ROBOTS_DEFERRED', `${why}: requests to its host are deferred until robots.txt is available.`, {
        property,
      })
    : blocked('ROBOTS_DENIED', `robots.txt forbids it: ${why}.`, { ...(line && { line }) });
  return { verdict, robots: { ...seen, allowed: isDeferred ? null : false, why }, reasons: [reason] };
}
