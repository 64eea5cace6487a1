/** Challenges of hosts with credentials (`http.auth.rules`): each answer waits for the delay of the host, and none is without end. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Handler, type Site, page, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, byPath, counters } from './table.js';

let number = 0;
let crawlId = '';
useCrawler();
beforeEach(() => {
  crawlId = `c${++number}`;
});

const DELAY_MS = 300;
const confFor = ({ port }: Site, realm: string) => ({
  'http.auth.rules': `127.0.0.1:${port}\t${realm}\tme\tpw`,
  'fetcher.server.delay': String(DELAY_MS / 1000),
});

async function fetched(web: Site, paths: readonly string[], conf: Record<string, string>) {
  await crawler.inject(
    crawlId,
    paths.map((path) => web.url + path),
  );
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return cycle.run('FETCH', { batch }, { crawlId, conf });
}
const statuses = () => byPath(cycle, (row) => row.status, crawlId);
const requestsOf = ({ log }: Site, path: string) => log.filter((one) => one.path === path).length;

/** The least time between two requests, ms. */
const leastGap = ({ log }: Site) => Math.min(...log.slice(1).map(({ time }, i) => time - log[i]!.time));
/** A server sees the end of an answer a little later than we do; the delay has that much slack. */
const POLITE = DELAY_MS - 5;

const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':'), 'latin1').digest('hex');
const fieldsOf = (header = '') =>
  Object.fromEntries([...header.matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name, value]) => [name ?? '', value ?? '']));
/** Whether these are the Digest credentials of me:pw for this nonce. */
function isDigest(header: string | undefined, realm: string, expected: string): boolean {
  const { nonce = '', nc = '', cnonce = '', uri = '', response } = fieldsOf(header);
  const right = md5(md5('me', realm, 'pw'), nonce, nc, cnonce, 'auth', md5('GET', uri));
  return nonce === expected && response === right;
}

/** A server each of whose nonces is valid for one request. */
function oneTimeNonces(challenge: (nonce: string) => string): Handler {
  let count = 1;
  return (req, res) => {
    if (req.url === '/robots.txt') return status(404)(req, res);
    const isRight = isDigest(req.headers.authorization, 'Staff', `n${count}`);
    if (isRight) count++;
    return isRight
      ? page('in')(req, res)
      : void res.writeHead(401, { 'www-authenticate': challenge(`n${count}`) }).end();
  };
}

const PAGES = ['/1', '/2', '/3'];

describe('a challenge at robots.txt', () => {
  it.each([
    ['Staff', 'Basic realm="Staff"', 2],
    ['*', 'Digest realm="Staff", nonce="n", qop="auth"', 2],
    ['Staff', 'Digest realm="Staff", nonce="n", qop="auth", stale=true', 3],
  ])('is answered after the delay of the host (rule for %s, %s)', async (realm, challenge, requests) => {
    const web = await crawler.site({
      '/robots.txt': (_, res) => void res.writeHead(401, { 'www-authenticate': challenge }).end(),
      '*': page('in'),
    });
    await fetched(web, ['/1'], confFor(web, realm));
    expect([requestsOf(web, '/robots.txt'), await statuses()]).toEqual([requests, { '/1': 2 }]);
    expect(leastGap(web)).toBeGreaterThanOrEqual(POLITE);
  });

  it('is answered, so that the rules of the file apply', async () => {
    const right = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    const web = await crawler.site({
      '/robots.txt': (req, res) => {
        if (req.headers.authorization === right) res.end('User-agent: *\nDisallow: /1');
        else res.writeHead(401, { 'www-authenticate': 'Basic realm="Staff"' }).end();
      },
      '*': page('in'),
    });
    await fetched(web, ['/1', '/2'], confFor(web, 'Staff'));
    expect(await statuses()).toEqual({ '/1': 3, '/2': 2 });
  });
});

describe('a challenge at a page', () => {
  it.each([
    ['whose nonce is always stale', () => 'Digest realm="Staff", nonce="n", qop="auth", stale=true', 3],
    ['with another realm each time', (count: number) => `Digest realm="R${count}", nonce="n", qop="auth"`, 3],
    ['with another nonce each time', (count: number) => `Digest realm="Staff", nonce="n${count}", qop="auth"`, 2],
    [
      'of Basic and Digest in turn',
      (count: number) => [`Basic realm="R"`, `Digest realm="S", nonce="n"`][count % 2]!,
      3,
    ],
  ])('%s ends in 401, and is no failure of the host', async (_, challenge, most) => {
    let count = 0;
    const web = await crawler.site({
      '/robots.txt': status(404),
      '*': (__, res) => void res.writeHead(401, { 'www-authenticate': challenge(count++) }).end(),
    });
    const job = await fetched(web, PAGES, confFor(web, '*'));
    expect([await statuses(), counters(job, 'FetcherStatus')]).toEqual([
      { '/1': 3, '/2': 3, '/3': 3 },
      { ACCESS_DENIED: 3 },
    ]);
    expect(Math.max(...PAGES.map((path) => requestsOf(web, path)))).toBeLessThanOrEqual(most);
    expect(leastGap(web)).toBeGreaterThanOrEqual(POLITE);
  });

  it.each([
    ['marked as stale', (nonce: string) => `Digest realm="Staff", nonce="${nonce}", qop="auth", stale=true`],
    ['without such a mark', (nonce: string) => `Digest realm="Staff", nonce="${nonce}", qop="auth"`],
  ])('with a nonce that is valid once: all pages are fetched (later ones %s)', async (_, challenge) => {
    const web = await crawler.site({ '*': oneTimeNonces(challenge) });
    await fetched(web, PAGES, confFor(web, 'Staff'));
    expect([await statuses(), web.log.length]).toEqual([{ '/1': 2, '/2': 2, '/3': 2 }, 1 + 2 * PAGES.length]);
    expect(leastGap(web)).toBeGreaterThanOrEqual(POLITE);
  });

  it('of several realms on one host: each gets its own credentials', async () => {
    const logins: Record<string, string> = { '/1': 'one:pw1', '/2': 'two:pw2', '/3': 'one:pw1', '/4': 'two:pw2' };
    const web = await crawler.site({
      '/robots.txt': status(404),
      '*': (req, res) => {
        const login = logins[req.url ?? ''] ?? '';
        const right = `Basic ${Buffer.from(login).toString('base64')}`;
        if (req.headers.authorization === right) return page('in')(req, res);
        return void res.writeHead(401, { 'www-authenticate': `Basic realm="${login.split(':')[0]}"` }).end();
      },
    });
    const rules = ['one\tone\tpw1', 'two\ttwo\tpw2'].map((rest) => `127.0.0.1:${web.port}\t${rest}`).join('\n');
    await fetched(web, Object.keys(logins), { ...confFor(web, '*'), 'http.auth.rules': rules });
    expect(await statuses()).toEqual({ '/1': 2, '/2': 2, '/3': 2, '/4': 2 });
  });
});
