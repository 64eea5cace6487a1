/** Cookies and credentials: what FETCH keeps in memory within a task, and what it never stores. */
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { RuleFileStore } from '../../src/conf/rule-file.store.js';
import { type Handler, page, redirect, reset } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, byPath, counters, pageAt } from './table.js';

let number = 0;
let crawlId = '';
useCrawler();
beforeEach(() => {
  crawlId = `s${++number}`;
});

type Conf = Record<string, string>;

/** Injects URLs and fetches them, one after the other; returns the FETCH. */
async function fetched(urls: string[], conf: Conf = {}) {
  await crawler.inject(crawlId, urls);
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return cycle.run('FETCH', { batch }, { crawlId, conf });
}
const statuses = () => byPath(cycle, (row) => row.status, crawlId);
const from = (web: { log: readonly { path: string; headers: IncomingMessage['headers'] }[] }, name: string) =>
  web.log.filter(({ path }) => path !== '/robots.txt').map(({ headers }) => headers[name] ?? null);

/** Every row of the database as text, without tables of configurations. */
async function everything(): Promise<string> {
  const tables = await cycle.db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') and tablename not in ('conf_snapshot', 'crawl_conf', 'rule_file')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) texts.push(JSON.stringify(await cycle.db.query(`select t::text from ${name} t`)));
  return texts.join('\n');
}

describe('cookies', () => {
  const setsAndAsks: Handler = (req, res) => {
    if (req.url === '/robots.txt') res.writeHead(404).end();
    else res.setHeader('set-cookie', ['seen=yes; Path=/', 'other=1; Domain=com']).end(`<p>${req.headers.cookie ?? ''}`);
  };

  it('are not sent back by default', async () => {
    const web = await crawler.site({ '*': setsAndAsks });
    await fetched([`${web.url}/1`, `${web.url}/2`]);
    expect(from(web, 'cookie')).toEqual([null, null]);
  });

  it('are sent back within one FETCH with http.cookies task, and the next FETCH starts without them', async () => {
    const web = await crawler.site({ '*': setsAndAsks });
    await fetched([`${web.url}/1`, `${web.url}/2`], { 'http.cookies': 'task' });
    await fetched([`${web.url}/3`, `${web.url}/4`], { 'http.cookies': 'task' });
    expect(from(web, 'cookie')).toEqual([null, 'seen=yes', null, 'seen=yes']);
  });

  it('are never sent with http.enable.cookie.header false', async () => {
    const web = await crawler.site({ '*': setsAndAsks });
    const rules = { 'http.agent.host.cookie.rules': '127.0.0.1\ta=1' };
    await fetched([`${web.url}/1`, `${web.url}/2`], {
      'http.cookies': 'task',
      ...rules,
      'http.enable.cookie.header': 'false',
    });
    expect(from(web, 'cookie')).toEqual([null, null]);
  });

  it('are not sent to another host after a redirect', async () => {
    const other = await crawler.site({ '/there': page('there') });
    const there = `http://localhost:${other.port}/there`;
    const web = await crawler.site({
      '/in': (req, res) => redirect(there)(req, res.setHeader('set-cookie', 'a=1')),
    });
    const rules = { 'http.agent.host.cookie.rules': '127.0.0.1\tb=2' };
    await fetched([`${web.url}/in`], { 'http.cookies': 'task', 'http.redirect.max': '1', ...rules });
    expect([from(web, 'cookie'), from(other, 'cookie')]).toEqual([['b=2'], [null]]);
  });

  it('of a rule file are sent to the hosts listed in it (http.agent.host.cookie.file)', async () => {
    await new RuleFileStore(cycle.dataSource).save(
      'my-cookies.txt',
      '# consent\n127.0.0.1\tconsent=yes\nother.test\tno=1\n',
    );
    const web = await crawler.site({ '*': page('x') });
    await fetched([`${web.url}/1`], { 'http.agent.host.cookie.file': 'my-cookies.txt' });
    expect(from(web, 'cookie')).toEqual(['consent=yes']);
  });
});

describe('http.auth.rules', () => {
  const right = `Basic ${Buffer.from('me:top-secret').toString('base64')}`;
  const guarded: Handler = (req, res) => {
    if (req.url === '/robots.txt') res.writeHead(404).end();
    else if (req.headers.authorization === right) res.writeHead(200, { 'content-type': 'text/html' }).end('in');
    else res.writeHead(401, { 'www-authenticate': 'Basic realm="Staff"' }).end('out');
  };
  const rulesFor = (port: number, realm: string) => ({
    'http.auth.rules': `127.0.0.1:${port}\t${realm}\tme\ttop-secret`,
  });

  it.each([
    ['Staff', [null, right, right], { '/1': 2, '/2': 2 }],
    ['*', [right, right], { '/1': 2, '/2': 2 }],
    ['Other', [null, null], { '/1': 3, '/2': 3 }],
  ])('of realm %s: the server receives %j as Authorization', async (realm, expected, rows) => {
    const web = await crawler.site({ '*': guarded });
    const job = await fetched([`${web.url}/1`, `${web.url}/2`], rulesFor(web.port, realm));
    expect(from(web, 'authorization')).toEqual(expected);
    expect(await statuses()).toEqual(rows);
    expect(Object.values(counters(job, 'FetcherStatus'))).toEqual([2]);
  });

  it('delays the request that answers a challenge like any other of the queue', async () => {
    const web = await crawler.site({ '*': guarded });
    await fetched([`${web.url}/1`, `${web.url}/2`], { ...rulesFor(web.port, 'Staff'), 'fetcher.server.delay': '0.3' });
    const times = web.log.map(({ time }) => time);
    for (let i = 1; i < times.length; i++) expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(295);
    expect(web.log).toHaveLength(4);
  });

  it('answers a challenge after the connection was closed under the first request', async () => {
    let asked = 0;
    const web = await crawler.site({
      '/robots.txt': guarded,
      '*': (req, res) => (++asked === 1 ? reset : guarded)(req, res),
    });
    await fetched([`${web.url}/1`], rulesFor(web.port, 'Staff'));
    expect([await statuses(), from(web, 'authorization')]).toEqual([{ '/1': 2 }, [null, null, right]]);
  });

  it('stores credentials in no table but those of configurations, also with store.http.request', async () => {
    const web = await crawler.site({ '*': guarded });
    const conf = {
      ...rulesFor(web.port, 'Staff'),
      'store.http.request': 'true',
      'http.agent.host.cookie.rules': '127.0.0.1\tsid=top-secret',
    };
    await fetched([`${web.url}/1`], conf);
    const { metadata } = await pageAt(cycle, '/1', crawlId);
    expect(metadata?.['_request_']?.split('\r\n')).toEqual(
      expect.arrayContaining([
        'GET /1 HTTP/1.1',
        `host: 127.0.0.1:${web.port}`,
        'authorization: ********',
        'cookie: ********',
      ]),
    );
    const texts = await everything();
    expect(texts).not.toContain('top-secret');
    expect(texts).not.toContain(right.slice(6));
  });
});
