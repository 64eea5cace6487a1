/**
 * Where a writer's engine is, and how it is reached: by sockets of the egress guard, as pages are, so that no configuration
 * leads to an inner address. Only an engine that an admin has named (`indexer.engines`) is reached wherever it is, and only it
 * is sent credentials.
 */
import { Agent } from 'node:http';
import type { Conf } from '../../conf/properties.js';
import { WriteFailed } from '../../core/indexing/index-writer.js';
import { RuleError } from '../../core/url/linear-regex.js';
import { type GuardedAgents, guardedAgents } from '../../net/guarded-agents.js';
import { systemResolve } from '../../net/resolver.js';
import { type WriterContext, type WriterParameters, withRules } from '../extension-points.js';
import { guardOf, openGuard } from '../guards.js';

/** What an engine is shown; nothing where none is configured. */
export interface Credentials {
  readonly user?: string;
  readonly password?: string;
  readonly bearer?: string;
}

export interface Engine {
  /** Without credentials, query and a slash at its end. */
  readonly url: URL;
  readonly agents: GuardedAgents;
  readonly credentials: Credentials;
  readonly timeoutMs: number;
}

const CONNECT_MS = 10_000;

/** @throws Error in words where there is no URL, or one that cannot be used */
export function engineOf(conf: Conf, given: string | undefined, context: WriterContext): Engine {
  const url = readUrl(given);
  const named = conf['indexer.engines'].some((one) => one.toLowerCase() === authorityOf(url));
  const guard = named ? openGuard(context.ownPorts) : guardOf(conf, context.ownPorts);
  return {
    url,
    agents: guardedAgents(
      { guard, verifyTls: conf['http.tls.certificates.check'], resolve: systemResolve },
      CONNECT_MS,
    ),
    credentials: named ? credentialsOf(conf, context.writerId) : {},
    timeoutMs: conf['indexer.write.timeout'] * 1_000,
  };
}

function readUrl(given: string | undefined): URL {
  if (given === undefined || !URL.canParse(given)) throw new Error('its parameter url is no URL');
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('its parameter url is none of http or https');
  if (url.username !== '' || url.password !== '')
    throw new Error('credentials stand in indexer.credentials, not in its url');
  url.search = '';
  url.hash = '';
  return url;
}

/** Host and port, the port always written. */
const authorityOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** Nutch's file has users and passwords among the parameters; here they would be shown with it. */
export function refuseCredentials(parameters: WriterParameters): void {
  const isAsked = parameters['auth']?.trim().toLowerCase() === 'true';
  if (isAsked) throw new Error('credentials stand in indexer.credentials, which is never shown, not in its parameters');
}

const property = 'indexer.credentials';

function credentialsOf(conf: Conf, writerId: string): Credentials {
  return withRules(property, conf[property], readCredentials).get(writerId) ?? {};
}

/**
 * Lines of a writer's id, and a user with a password or `Bearer` with a token.
 * @throws RuleError that repeats no secret
 */
function readCredentials(rules: string): Map<string, Credentials> {
  const found = new Map<string, Credentials>();
  rules.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const [writer = '', user, secret, ...more] = line.trim().split(/\s+/);
    if (user === undefined || secret === undefined || more.length > 0)
      throw new RuleError({ number: at + 1, text: writer }, null, 'a writer, a user and a password are expected');
    found.set(writer, user === 'Bearer' ? { bearer: secret } : { user, password: secret });
  });
  return found;
}

/** The header by which an engine knows us. */
export function authorization({ user, password, bearer }: Credentials): Record<string, string> {
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The agent for a client that takes one. */
export const agentOf = ({ url, agents }: Engine): Agent =>
  url.protocol === 'https:' ? agents.httpsAgent : agents.httpAgent;

/** A whole number among the parameters. @throws Error in words */
export function numberOf(
  parameters: WriterParameters,
  name: string,
  { otherwise, max }: { otherwise: number; max: number },
): number {
  const given = parameters[name]?.trim();
  if (given === undefined || given === '') return otherwise;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new Error(`its parameter ${name} is a whole number from 1 to ${max}`);
  return value;
}

/** An answer with this status was none that helps: whether to ask again, and when. */
export function failedAnswer(status: number, retryAfter: unknown, words: string): WriteFailed {
  const again = status === 408 || status === 429 || status >= 500;
  return new WriteFailed(
    `it answered ${status}${words === '' ? '' : `: ${words.slice(0, 300)}`}`,
    again,
    readRetryAfter(retryAfter),
  );
}

/** Milliseconds of a `Retry-After`; null without one that can be read. */
export function readRetryAfter(given: unknown): number | null {
  if (typeof given !== 'string') return null;
  if (/^\s*\d{1,9}\s*$/.test(given)) return Number(given) * 1_000;
  const at = Date.parse(given);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
