/** Builds the HTTP client, its guard and its limits from crawl properties. */
import { type AuthRule, authRules } from '../core/http/auth-rules.js';
import type { Resolve } from '../core/address/egress-guard.js';
import type { Conf } from '../core/conf/properties.js';
import { authRulesOfXml } from '../core/http/auth-file-xml.js';
import { type FetchLimits, HttpClient } from '../net/http-client.js';
import { HttpSession, type SessionRules, agentNames, cookieRules } from '../net/http-session.js';
import type { OwnPort } from '../core/address/own-ports.js';
import { withRules } from './extension-points.js';
import { guardOf } from './egress-guards.js';
import { proxyOf } from './proxy-of.js';
import { activePlugins } from './registry.js';

/** The limit where `http.time.limit` sets none. */
const DEFAULT_TIMEOUT_MS = 600_000;

export function fetchLimitsOf(conf: Conf): FetchLimits {
  const seconds = conf['http.time.limit'];
  return {
    contentLimit: conf['http.content.limit'],
    maxContent: conf['http.content.limit.cap'],
    connectTimeout: conf['http.connect.timeout'],
    headersTimeout: conf['http.timeout'],
    idleTimeout: conf['http.timeout'],
    totalTimeout: seconds <= 0 ? DEFAULT_TIMEOUT_MS : seconds * 1000,
    keepPartial: conf['http.partial.truncated'],
  };
}

/** Whether HTTP is active. Configurations for Nutch name one of several HTTP plugins; here one client replaces all. */
export function speaksHttp(conf: Conf): boolean {
  const { active, onlyInNutch } = activePlugins(conf);
  return (
    active.has('protocol-http') || onlyInNutch.some((id) => id === 'protocol-okhttp' || id === 'protocol-httpclient')
  );
}

/**
 * The client of one task: connections, cookies and authentication state end with it.
 * @param ownPorts as for `guardOf`
 * @param resolve resolves names to addresses; default: the system's resolver with a cache
 */
export function makeHttpClient(conf: Conf, ownPorts: readonly OwnPort[], resolve?: Resolve): HttpClient {
  const note = { request: conf['store.http.request'], protocols: conf['store.protocol.versions'] };
  return new HttpClient({
    guard: guardOf(conf, ownPorts),
    verifyTls: conf['http.tls.certificates.check'],
    maxHeaderSize: conf['http.header.limit'],
    http2: conf['http.useHttp2'],
    proxy: proxyOf(conf, ownPorts),
    session: sessionOf(conf),
    ...((note.request || note.protocols) && { note }),
    ...(resolve && { resolve }),
  });
}

/**
 * Cookies, credentials and agent names of a configuration.
 * @throws RulesRefused for an invalid rule
 */
export function sessionRules(conf: Conf): SessionRules {
  const cookies = withRules('http.agent.host.cookie.rules', conf['http.agent.host.cookie.rules'], cookieRules);
  const auth = withRules('http.auth.rules', conf['http.auth.rules'], readAuth);
  const agents = withRules('http.agent.rotate.rules', conf['http.agent.rotate.rules'], agentNames);
  const sends = conf['http.enable.cookie.header'];
  return {
    keepCookies: sends && conf['http.cookies'] === 'task',
    cookies: sends ? cookies : new Map(),
    auth,
    agents: conf['http.agent.rotate'] ? agents : [],
  };
}

/** Accepts our line format, or Nutch's httpclient-auth.xml. */
const readAuth = (text: string): AuthRule[] => (/^\s*</.test(text) ? authRulesOfXml(text) : authRules(text));

/** Undefined where there is no state to keep and no header to add, so that requests have no overhead. */
function sessionOf(conf: Conf): HttpSession | undefined {
  const rules = sessionRules(conf);
  const idle = !rules.keepCookies && rules.cookies.size + rules.auth.length + rules.agents.length === 0;
  return idle ? undefined : new HttpSession(rules);
}
