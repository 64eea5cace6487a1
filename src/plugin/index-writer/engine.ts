/**
 * The engine of a writer and the connection to it: through the egress guard, as for pages, so that no configuration can
 * reach an internal address. Only an engine that an admin has named (`indexer.engines`) may have any address, and only
 * that gets credentials.
 */
import { Agent } from 'node:http';
import { MAX_PORT } from '../../core/address/port-range.js';
import type { Conf } from '../../core/conf/properties.js';
import { MAX_RETRY_AFTER_MS, WriteFailed } from '../../core/indexing/index-writer.js';
import { retryAfter } from '../../core/politeness/back-off.js';
import { RuleError } from '../../core/url/linear-regex.js';
import { numberedLines } from '../../core/url/rule-lines.js';
import { type GuardedAgents, guardedAgents } from '../../net/guarded-agents.js';
import { systemResolve } from '../../net/resolver.js';
import { type WriterContext, type WriterParameters, withRules } from '../extension-points.js';
import { guardOf, openGuard } from '../egress-guards.js';

/** Credentials for an engine; empty where none are configured. */
export interface Credentials {
  readonly user?: string;
  readonly password?: string;
  readonly bearer?: string;
}

export interface Engine {
  /** Without credentials, query and fragment. */
  readonly url: URL;
  readonly agents: GuardedAgents;
  readonly credentials: Credentials;
  /** There are credentials for its writer, but `indexer.engines` does not name it. */
  readonly lacksName: boolean;
  readonly timeoutMs: number;
}

const CONNECT_MS = 10_000;
const TOO_LARGE = 413;

/** @throws Error with a reason for a missing or invalid URL */
export function engineOf(conf: Conf, urlText: string | undefined, context: WriterContext): Engine {
  const url = readUrl(urlText);
  const named = conf['indexer.engines'].some((engine) => engineAuthority(engine) === authorityOf(url));
  const credentials = credentialsOf(conf, context.writerId);
  const guard = named ? openGuard(context.ownPorts) : guardOf(conf, context.ownPorts);
  return {
    url,
    agents: guardedAgents(
      { guard, verifyTls: conf['http.tls.certificates.check'], resolve: systemResolve },
      CONNECT_MS,
    ),
    credentials: named ? (credentials ?? {}) : {},
    lacksName: !named && credentials !== undefined,
    timeoutMs: conf['indexer.write.timeout'] * 1_000,
  };
}

function readUrl(text: string | undefined): URL {
  if (text === undefined || text === '') throw new Error('its parameter url is missing');
  if (!URL.canParse(text)) throw new Error('its parameter url is no URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('its parameter url is neither http nor https');
  if (url.username !== '' || url.password !== '')
    throw new Error('credentials belong in indexer.credentials, not in its url');
  url.search = '';
  url.hash = '';
  return url;
}

/** An entry of `indexer.engines` as `authorityOf` has it; null where it is not the host and port of an engine. */
export function engineAuthority(entry: string): string | null {
  const [, host, port = ''] = /^(\[[^\]]+\]|[^\s/?#@\\:[\]]+):(\d{1,5})$/.exec(entry) ?? [];
  const url = host === undefined ? null : URL.parse(`http://${host}/`);
  return url === null || Number(port) > MAX_PORT ? null : `${url.hostname}:${Number(port)}`;
}

/** Host and port, with the default port made explicit. */
const authorityOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** Nutch's file has a user and a password among the parameters, which count if `auth` is true. */
export const hasCredentials = (parameters: WriterParameters): boolean =>
  parameters['auth']?.trim().toLowerCase() === 'true';

/** @throws Error because parameters are shown with the configuration */
export function refuseCredentials(parameters: WriterParameters): void {
  if (hasCredentials(parameters))
    throw new Error('credentials belong in indexer.credentials, which is never shown, not in its parameters');
}

const PROPERTY = 'indexer.credentials';

function credentialsOf(conf: Conf, writerId: string): Credentials | undefined {
  return withRules(PROPERTY, conf[PROPERTY], readCredentials).get(writerId);
}

const UNAUTHORIZED = 401;

/** @throws WriteFailed if an engine asks for the credentials that it may not get */
export function refuseUnnamed({ lacksName }: Pick<Engine, 'lacksName'>, status: number | null | undefined): void {
  if (lacksName && status === UNAUTHORIZED)
    throw new WriteFailed('it answered 401: its credentials were not sent, as indexer.engines does not name it', false);
}

/**
 * Parses lines of a writer's id, and a user with a password or `Bearer` with a token.
 * @throws RuleError whose message contains no secret
 */
function readCredentials(rules: string): Map<string, Credentials> {
  const credentials = new Map<string, Credentials>();
  for (const { number, text } of numberedLines(rules)) {
    const [writer = '', user, secret, ...more] = text.split(/\s+/);
    if (user === undefined || secret === undefined || more.length > 0)
      throw new RuleError({ number, text: writer }, null, 'a writer, a user and a password are expected');
    credentials.set(writer, user === 'Bearer' ? { bearer: secret } : { user, password: secret });
  }
  return credentials;
}

/** The Authorization header. */
export function authorization({ user, password, bearer }: Credentials): Record<string, string> {
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The agent for a client that accepts only one. */
export const agentOf = ({ url, agents }: Engine): Agent =>
  url.protocol === 'https:' ? agents.httpsAgent : agents.httpAgent;

/** An integer parameter. @throws Error with a reason */
export function integerParameter(
  parameters: WriterParameters,
  name: string,
  { otherwise, max }: { otherwise: number; max: number },
): number {
  const text = parameters[name]?.trim();
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new Error(`its parameter ${name} is a whole number from 1 to ${max}`);
  return value;
}

/**
 * The error for a response with this status: whether to retry, and when.
 * @param retryAfterField the value of `Retry-After`
 */
export function failedAnswer(status: number, retryAfterField: unknown, words: string): WriteFailed {
  const again = status === 408 || status === 429 || status >= 500;
  return new WriteFailed(
    `it answered ${status}${words === '' ? '' : `: ${words.slice(0, 300)}`}`,
    again,
    typeof retryAfterField === 'string' ? retryAfter(retryAfterField, Date.now(), MAX_RETRY_AFTER_MS) : null,
    status === TOO_LARGE,
  );
}
