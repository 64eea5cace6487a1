import { DAY_MS, DAY_S } from '../day.js';
import { SHIPPED_EXCLUSIONS } from '../address/address-classes.js';
import { SHIPPED_DENIED_PORTS } from '../address/egress-guard.js';
import { choice, flag, int, list, rules, secret, text, takingSecrets } from './property.js';
import { ruleFile } from './rule-file-name.js';
import { MAX_PORT } from '../address/port-range.js';

const milliseconds = { unit: 'ms' };
const bytes = { unit: 'bytes' };
export const ONE_GIBIBYTE = 1_073_741_824;

/** The value of a request header: visible ASCII and spaces. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;
const IN_HEADER = 'printable ASCII without line breaks';

/** A host name or address, or nothing. */
const HOST_NAME = /^(?:[^\s/?#@:[\]]+|\[?[0-9a-fA-F:.]+\]?)?$/;

/** Properties of requests and robots.txt (Nutch `http.*`). */
export const httpProperties = {
  'http.accept': text(
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept header.',
    HEADER_TEXT,
    IN_HEADER,
  ),
  'http.accept.charset': text('utf-8,iso-8859-1;q=0.7,*;q=0.7', 'Accept-Charset header.', HEADER_TEXT, IN_HEADER),
  'http.accept.language': text('en-us,en-gb,en;q=0.7,*;q=0.3', 'Accept-Language header.', HEADER_TEXT, IN_HEADER),
  'http.agent.description': text('', 'Words about the crawler in the User-Agent header.', HEADER_TEXT, IN_HEADER),
  'http.agent.email': text('', 'Contact address in the User-Agent header.', HEADER_TEXT, IN_HEADER),
  'http.agent.host.cookie.file': ruleFile('cookies.txt', 'File of the cookies per host.'),
  'http.agent.host.cookie.rules': secret(
    rules(
      '',
      'Cookies sent to hosts: lines of host, tab, cookie. Empty: those of the file http.agent.host.cookie.file.',
    ),
  ),
  'http.agent.name': text(
    '',
    'Name of the crawler, also for robots.txt. Without it FETCH, SITEMAP and crawls are refused.',
    HEADER_TEXT,
    IN_HEADER,
  ),
  'http.agent.rotate': flag(
    false,
    'Send one of several User-Agent headers, chosen at random. In robots.txt, the groups of http.agent.name still apply.',
  ),
  'http.agent.rotate.file': ruleFile('agents.txt', 'File of the User-Agent headers to choose from.'),
  'http.agent.rotate.rules': rules(
    '',
    'User-Agent headers to choose from, one a line. Empty: those of the file http.agent.rotate.file.',
  ),
  'http.agent.url': text('', 'Page about the crawler in the User-Agent header.', HEADER_TEXT, IN_HEADER),
  'http.agent.version': text('Orbweaver-0.1', 'Version in the User-Agent header.', HEADER_TEXT, IN_HEADER),
  'http.auth.file': ruleFile(
    'httpclient-auth.xml',
    'File of the credentials per host, as http.auth.rules or in the XML of Nutch.',
  ),
  'http.auth.rules': secret(
    rules(
      '',
      'Credentials (Basic, Digest): lines of host[:port], realm or *, user, password, separated by tabs; with https:// before the host, they are sent over https only. Empty: those of the file http.auth.file.',
    ),
  ),
  'http.connect.timeout': int(10_000, 'Longest time to open a connection.', { min: 1, max: 600_000, ...milliseconds }),
  'http.content.limit': int(
    1_048_576,
    'Bytes kept of a page, counted after decoding. -1: all, up to http.content.limit.cap.',
    {
      min: -1,
      max: ONE_GIBIBYTE,
      ...bytes,
    },
  ),
  'http.content.limit.cap': int(67_108_864, 'Bytes read of a page even where there is no limit.', {
    min: 1,
    max: ONE_GIBIBYTE,
    ...bytes,
  }),
  'http.cookies': choice(
    'off',
    'Cookies that servers set: off, or sent back to them as long as one task of a FETCH runs (task).',
    ['task'],
  ),
  'http.enable.cookie.header': flag(true, 'Send cookies, where there are any.'),
  'http.enable.if.modified.since.header': flag(true, 'Ask for a page only if it changed, by ETag and Last-Modified.'),
  'http.filter.ipaddress.exclude': list(
    SHIPPED_EXCLUSIONS,
    'Addresses that are never connected to: CIDR blocks, or classes such as loopback, private, linklocal, metadata. Empty: none; set by an admin only.',
  ),
  'http.filter.ipaddress.include': list(
    [],
    'Address ranges that alone are connected to. Empty: any that is not excluded.',
  ),
  'http.filter.ports.exclude': list(
    ['1-79', '81-442', '444-1023', ...SHIPPED_DENIED_PORTS.map(String)],
    'Ports and port ranges that are never connected to. Set by an admin only.',
  ),
  'http.header.limit': int(16_384, 'Bytes of the headers of an answer.', { min: 1_024, max: 1_048_576, ...bytes }),
  'http.partial.truncated': flag(false, 'A body that ends early counts as an answer, truncated.'),
  'http.proxy.exception.list': list(
    [],
    'Hosts that are reached without the proxy; .example.org for all below it. Set by an admin only.',
  ),
  'http.proxy.host': text(
    '',
    'Host of the proxy. Empty: none. Set by an admin only.',
    HOST_NAME,
    'a host name or an IP address',
  ),
  'http.proxy.password': takingSecrets(text('', 'Password for the proxy.')),
  'http.proxy.port': int(8080, 'Port of the proxy. Empty: 8080. Set by an admin only.', {
    min: 1,
    max: MAX_PORT,
    orEmpty: true,
  }),
  'http.proxy.realm': text(
    '',
    'Credentials are sent to a proxy that asks for this realm. Empty: with the first request.',
  ),
  'http.proxy.type': choice(
    'HTTP',
    'Kind of the proxy: HTTP, SOCKS (version 5), or DIRECT for none. Set by an admin only.',
    ['SOCKS', 'SOCKS5', 'DIRECT'],
  ),
  'http.proxy.username': text('', 'User for the proxy. Empty: no credentials.', /^[^:]*$/, 'text without a colon'),
  'http.redirect.location.max': int(4_096, 'Longest redirect target.', { min: 1, max: 65_536, unit: 'characters' }),
  'http.redirect.max': int(0, 'Redirects followed immediately. 0, -1: the target is fetched in a later round.', {
    min: -1,
    max: 20,
  }),
  'http.redirect.max.exceeded.skip': flag(false, 'Drop the target of a redirect chain that is too long.'),
  'http.robot.rules.allowlist': list([], 'Hosts whose robots.txt is ignored. Only an admin can set it.'),
  'http.robots.403.allow': flag(true, 'A forbidden robots.txt (403) allows everything.'),
  'http.robots.503.defer.visits': flag(
    true,
    'If robots.txt is answered with 5xx or 429, the pages of the host are deferred.',
  ),
  'http.robots.503.defer.visits.delay': int(300_000, 'For how long FETCH defers the pages of such a host.', {
    max: DAY_MS,
    ...milliseconds,
  }),
  'http.robots.503.defer.visits.retries': int(
    0,
    'How often a FETCH defers the pages of such a host; after that, they are due again after a day.',
    { max: 100 },
  ),
  'http.robots.agents': list([], 'Further names looked up in robots.txt.'),
  'http.robots.cache.seconds': int(
    DAY_S,
    'How long a stored robots.txt is used before it is requested again (RFC 9309 §2.4).',
    {
      max: 7 * DAY_S,
      unit: 's',
    },
  ),
  'http.robots.content.limit': int(524_288, 'Bytes of a robots.txt that are read (RFC 9309 §2.5).', {
    min: 512_000,
    max: 16_777_216,
    ...bytes,
  }),
  'http.robots.redirect.max': int(5, 'Redirects followed for a robots.txt.', { max: 20 }),
  'http.store.responsetime': flag(
    true,
    'Keep the time that an answer took, with the visit in the history of the page (`ms`).',
  ),
  'http.time.limit': int(60, 'Longest time of one whole download. -1 or 0: 600 s.', { min: -1, max: DAY_S, unit: 's' }),
  'http.timeout': int(10_000, 'Longest wait for the first byte and between two parts of an answer.', {
    min: 1,
    max: 600_000,
    ...milliseconds,
  }),
  'http.tls.certificates.check': flag(true, 'Refuse servers whose TLS certificate does not verify.'),
  'http.useHttp2': flag(false, 'Speak HTTP/2 where a server offers it.'),
  'store.http.headers': flag(
    true,
    'Keep the headers of an answer with the page. False: scoring.content.md finds none, and language-identifier only where FETCH parses.',
  ),
  'store.http.request': flag(false, 'Keep the request in the metadata of the page (`_request_`), secrets masked.'),
  'store.ip.address': flag(false, 'Keep the address of the server in the metadata of the page (`_ip_`).'),
  'store.protocol.versions': flag(
    false,
    'Keep the protocol versions that were used in the metadata of the page (`_protocol_versions_`), such as h2,TLSv1.3.',
  ),
};
