/**
 * Access control: the first check of every request, whatever its path.
 *
 * Without keys, the Host header must name this server (a page of another site could otherwise reach it under a name of its
 * own that resolves to 127.0.0.1: DNS rebinding). Each client has a token bucket. With keys, a request without one gets 401,
 * except for the exact paths of /health/live and of the dashboard's files; because this does not depend on routes, no
 * spelling of a path bypasses it.
 */
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { answerProblem } from '../problem.filter.js';
import { type Problem, requestMalformed, withOptions, retryIn } from '../problem.js';
import { hostNotAllowed, notAuthenticated, tooManyRequests } from './access.problems.js';
import type { ApiKey } from '../../conf/credentials.js';
import { isLoopback } from '../../conf/env.js';
import { type Principal, principalOfHeader } from './api-keys.js';
import { TokenBuckets } from '../../core/queueing/token-buckets.js';

export interface AccessSettings {
  /** The address that the server is bound to. */
  host: string;
  keys: readonly ApiKey[];
  /** Further names in Host headers; `*` for any. */
  allowedHosts: readonly string[];
  /** Paths that anybody may GET: the files of the dashboard, which asks for a key itself. */
  dashboardPaths: ReadonlySet<string>;
  /** Requests a second of one client. */
  rate: number;
  /** Requests of one client at once, after a pause. */
  burst: number;
}

export const OPEN_PATH = '/health/live';
/** The realm of NutchServer 2.x. Basic is first: simple clients read only one challenge. */
const CHALLENGE = 'Basic realm="Nutch REST API Realm", charset="UTF-8", Bearer realm="Nutch REST API Realm"';
/**
 * On a Basic challenge a browser opens its own dialog, again for each wrong key. The dashboard's scripts have a form for
 * that, so they send `X-Requested-With`.
 */
const CHALLENGE_OF_SCRIPTS = 'Bearer realm="Nutch REST API Realm"';
const principals = new WeakMap<object, Principal>();

/** Sets the principal of a request that was authenticated elsewhere. */
export const actAs = (request: object, principal: Principal): void => void principals.set(request, principal);

export const principalOf = (request: object): Principal | undefined => principals.get(request);

/** What counts as one client in limits: a key, or everybody at one address. */
export const clientName = (request: Request): string => {
  const principal = principals.get(request);
  return principal?.byKey ? principal.name : `address ${request.socket.remoteAddress ?? ''}`;
};

/** The middleware that checks access, before any route. */
export function accessControl(settings: AccessSettings) {
  const buckets = new TokenBuckets(settings.rate, settings.burst);
  const anyone = withoutKeys(settings);
  return (request: Request, response: Response, next: NextFunction): void => {
    const principal = principalOfHeader(settings.keys, request.headers.authorization) ?? anyone;
    if (principal) principals.set(request, principal);
    if (principal?.byKey) response.setHeader('Orbweaver-Scope', principal.scope);
    const problem = accessRefusal(request, principal, settings, buckets);
    if (problem) answerProblem(response, problem);
    else next();
  };
}

/** Without keys everyone who can connect is an admin, but may open guards only when the server is bound to loopback. */
function withoutKeys({ keys, host }: AccessSettings): Principal | undefined {
  return keys.length === 0
    ? { name: 'anyone', scope: 'admin', mayOpenGuards: isLoopback(host), byKey: false }
    : undefined;
}

function accessRefusal(
  request: Request,
  principal: Principal | undefined,
  settings: AccessSettings,
  buckets: TokenBuckets,
): Problem | undefined {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    return requestMalformed(`it has ${hosts} Host headers instead of one (RFC 9112 §3.2)`);
  }
  const host = authorityOf(request);
  if (settings.keys.length === 0 && !isOurHost(host, settings)) return hostNotAllowed(host);
  if (request.path === OPEN_PATH) return undefined;
  const wait = buckets.take(clientName(request), performance.now());
  if (wait > 0) return retryIn(wait, tooManyRequests(settings.rate));
  if (principal !== undefined || isDashboardFile(request, settings)) return undefined;
  const isScript = request.headers['x-requested-with'] !== undefined;
  return withOptions(notAuthenticated(request.headers.authorization === undefined ? 'nothing' : 'unknown'), {
    headers: { 'WWW-Authenticate': isScript ? CHALLENGE_OF_SCRIPTS : CHALLENGE },
  });
}

const isDashboardFile = ({ method, path }: Request, { dashboardPaths }: AccessSettings): boolean =>
  (method === 'GET' || method === 'HEAD') && dashboardPaths.has(path);

/** The requested host: a request target in absolute form overrides the Host header (RFC 9112 §3.2.2). */
function authorityOf(request: Request): string {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(request.originalUrl) ?? [];
  return authority ?? request.headers.host ?? '';
}

/** An address literal is safe from DNS rebinding; a name must be one of this server's. */
function isOurHost(header: string, settings: AccessSettings): boolean {
  const [, bracketed, plain] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? [];
  const host = bracketed ?? plain ?? '';
  if (isIP(host) !== 0 || host === 'localhost' || host === settings.host.toLowerCase()) return true;
  return settings.allowedHosts.some((name) => name === '*' || name.toLowerCase() === host);
}
