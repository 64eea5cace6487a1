import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/patience.js';
import { type KnownPage, pageReasons } from '../../src/api/inspect/page-reasons.js';
import { parseConf } from '../../src/core/conf/properties.js';
import { batchPosition } from '../../src/cycle/generate/preview.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { pageByKey } from '../../src/webpage/page-columns.sql.js';
import { type Site, startSite } from '../support/site.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';
import { addManyPages, addPages, newCrawl } from './seeded-pages.js';

let api: ApiUnderTest;
let site: Site;
beforeAll(async () => {
  site = await startSite({
    '/robots.txt': (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nCrawl-delay: 2\nDisallow: /private/\n');
    },
  });
  api = await apiInOneProcess();
  const create = (configId: string, params: object) =>
    request(api.url).post('/config/create').send({ configId, force: true, params });
  await create('named', { 'http.agent.name': 'orbweaver-test' });
  await create('open', { 'http.agent.name': 'orbweaver-test', 'http.filter.ipaddress.exclude': '' });
  await create('scopes', {
    'http.agent.name': 'orbweaver-test',
    'urlnormalizer.regex.rules.inject': 'old\tnew',
    'urlnormalizer.loop.count': '2',
  });
  await create('other', { 'http.agent.name': 'x', 'plugin.includes': 'urlfilter-regex|urlnormalizer-basic' });
});
afterAll(async () => {
  await api?.close();
  await site?.close();
});

interface Reason {
  code: string;
  blocks: boolean;
  message: string;
  property?: string;
  rule?: { number: number; text: string };
  line?: { number: number; text: string };
}

const ask = (body: unknown) =>
  request(api.url)
    .post('/v1/inspect/url')
    .send(body as object);
const answer = async (body: object) => {
  const { status, body: found } = await ask({ confId: 'named', ...body });
  expect([status, found.detail]).toEqual([200, undefined]);
  return found as Record<string, unknown> & { fetchable: { now: boolean; reasons: Reason[] } };
};
const codes = async (body: object) => (await answer(body)).fetchable.reasons.map(({ code }) => code);

describe('POST /v1/inspect/url', () => {
  it('lists the steps of normalizers and filters for a URL', async () => {
    const found = await answer({ url: 'HTTP://Site.test/a/../b;jsessionid=1#top', scope: 'outlink' });
    expect(found).toMatchObject({
      given: 'HTTP://Site.test/a/../b;jsessionid=1#top',
      normalized: 'http://site.test/b',
      key: 'test.site:http/b',
      host: 'site.test',
      domain: 'site.test',
      accepted: true,
      decidedBy: null,
      page: null,
    });
    expect(found['steps']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ plugin: 'urlnormalizer-basic', kind: 'normalizer' }),
        expect.objectContaining({ plugin: 'urlfilter-regex', kind: 'filter', after: 'http://site.test/b' }),
      ]),
    );
    expect(found.fetchable).toMatchObject({ now: true });
    expect(found).not.toHaveProperty('robots');
  });

  it('names the filter and the rule that rejects', async () => {
    const found = await answer({ url: 'http://site.test/?q=1' });
    expect(found).toMatchObject({
      normalized: 'http://site.test/?q=1',
      accepted: false,
      decidedBy: { plugin: 'urlfilter-regex', rule: { number: 3, text: '-[?*!@=]' } },
      fetchable: { now: false },
    });
    expect(found.fetchable.reasons).toContainEqual(
      expect.objectContaining({ code: 'FILTERED', blocks: true, plugin: 'urlfilter-regex' }),
    );
  });

  it.each([
    ['http://site.test/a/b/a/c/a/d/', 'TRAP'],
    ['ftp://site.test/file', 'SCHEME'],
    ['no url at all', 'MALFORMED'],
    ['http://:80:80/', 'MALFORMED'],
    [`http://site.test/${'a'.repeat(1_990)}`, 'KEY_TOO_LONG'],
    [`http://site.test/${'a'.repeat(5_000)}`, 'URL_TOO_LONG'],
    ['http://127.0.0.1:8080/', 'INNER_ADDRESS'],
    ['http://2130706433/', 'INNER_ADDRESS'],
    ['http://0x7f.1/', 'INNER_ADDRESS'],
    ['http://[::ffff:10.0.0.1]/', 'INNER_ADDRESS'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'INNER_ADDRESS'],
    ['http://localhost/', 'INNER_ADDRESS'],
    ['http://8.8.8.8:22/', 'PORT'],
    ['http://8.8.8.8:6379/', 'PORT'],
  ])('%.60s is not fetchable: %s', async (url, code) => {
    const found = await answer({ url });
    expect(found.fetchable.reasons.map((reason) => reason.code)).toContain(code);
    expect(found.fetchable.now).toBe(false);
  });

  it('normalizes a URL of any scheme', async () => {
    expect(await answer({ url: 'ftp://site.test/file' })).toMatchObject({
      normalized: 'ftp://site.test/file',
      key: 'test.site:ftp/file',
    });
    expect(await answer({ url: 'nothing' })).toMatchObject({
      normalized: null,
      key: null,
      host: null,
      accepted: false,
    });
  });

  it("blocks the server's own port even if all addresses are allowed", async () => {
    expect(await codes({ url: `${api.url}/admin`, confId: 'open' })).toContain('PORT');
  });

  it('reports a configuration with which FETCH cannot run', async () => {
    expect(await codes({ url: 'http://site.test/', confId: 'default' })).toContain('AGENT_NAME');
    expect(await codes({ url: 'http://site.test/', confId: 'other' })).toContain('PROTOCOL_PLUGIN');
  });

  it('applies the scope of normalizers and the scope of a crawl', async () => {
    const normalized = async (scope: string) =>
      (await answer({ url: 'http://site.test/old', confId: 'scopes', scope }))['normalized'];
    expect([await normalized('inject'), await normalized('outlink')]).toEqual([
      'http://site.test/new',
      'http://site.test/old',
    ]);
    expect(await codes({ url: 'http://site.test/', crawlId: 'none', scope: 'host' })).toContain('EXTERNAL');
    expect(await codes({ url: 'http://site.test/', crawlId: 'none', scope: 'any' })).not.toContain('EXTERNAL');
  });

  it('reports UNKNOWN_PAGE only if a crawl is given', async () => {
    expect(await codes({ url: 'http://8.8.8.8/' })).toEqual([]);
    expect(await codes({ url: 'http://8.8.8.8/', crawlId: 'none' })).toEqual(['UNKNOWN_PAGE']);
  });

  it.each([
    ['www.site.test', false],
    ['site.test', false],
    ['shop.below.test', false],
    ['below.test', false],
    ['mysite.test', true],
    ['site-b.test', true],
  ])('with links inside of domains only, %s is outside of the crawl: %s', async (host, isOutside) => {
    const params = { 'db.ignore.external.links': 'true', 'db.ignore.external.links.mode': 'byDomain' };
    await request(api.url).post('/config/create').send({ configId: 'inside', force: true, params });
    const crawlId = `domains-of-${host}`;
    await addPages(api.database, await newCrawl(api.database, crawlId), [
      { url: 'http://site.test/' },
      { url: 'http://www.below.test/' },
    ]);
    const found = await codes({ url: `http://${host}/new`, crawlId, confId: 'inside' });
    expect(found.includes('EXTERNAL')).toBe(isOutside);
  });

  describe.each([
    ['without topN', {}],
    ['with topN', { 'generate.topN': '5' }],
  ])('a page that generate.max.count.expr excludes, %s', (name, params) => {
    const crawlId = `expr-${name.replace(' ', '-')}`;
    const about = (path: string) => answer({ url: `http://8.8.8.8/${path}`, crawlId, confId: crawlId });
    beforeAll(async () => {
      const configured = { 'http.agent.name': 'x', 'generate.max.count.expr': 'unfetched > 2 ? 2 : 0', ...params };
      await request(api.url).post('/config/create').send({ configId: crawlId, params: configured });
      const pages = [1, 2, 3].map((score) => ({ url: `http://8.8.8.8/${score}`, row: { score } }));
      await addPages(api.database, await newCrawl(api.database, crawlId), pages);
    });

    it('is reported with the property and the limit that it returns', async () => {
      const { fetchable } = await about('1');
      expect(fetchable).toMatchObject({
        now: false,
        reasons: [
          {
            code: 'HOST_LIMIT',
            property: 'generate.max.count.expr',
            message: '2 better pages of its host precede it, and generate.max.count.expr takes 2.',
          },
        ],
      });
    });

    it('does not exclude pages with a higher score', async () => {
      expect((await about('2')).fetchable).toEqual({ now: true, reasons: [] });
    });
  });

  it('notes that no page links to an orphan any more', async () => {
    await addPages(api.database, await newCrawl(api.database, 'orphans'), [{ url: 'http://8.8.8.8/', status: 8 }]);
    const { fetchable } = await answer({ url: 'http://8.8.8.8/', crawlId: 'orphans' });
    expect(fetchable.reasons).toContainEqual({
      code: 'ORPHAN',
      blocks: false,
      message: 'No page links to it any more.',
    });
  });

  it('contains the line of robots.txt as FETCH stored it, not as its words say', async () => {
    const line = { number: 3, text: 'Disallow: /private/' };
    const words = ['robots.txt line 9: in words'];
    const denied = { status: 3, row: { protocol_code: 18, protocol_args: words, fetch_time: '2100-01-01' } };
    await addPages(api.database, await newCrawl(api.database, 'denied'), [
      { url: 'http://8.8.8.8/stored', ...denied, row: { ...denied.row, robots_line: line } },
      { url: 'http://8.8.8.8/words', ...denied },
    ]);
    const lineOf = async (url: string) =>
      (await answer({ url, crawlId: 'denied' })).fetchable.reasons.find(({ code }) => code === 'ROBOTS_DENIED')!.line;
    expect(await lineOf('http://8.8.8.8/stored')).toEqual(line);
    expect(await lineOf('http://8.8.8.8/words')).toBeUndefined();
  });

  describe('the position of a page in the next batch', () => {
    const known = async (crawlId: string, pool: KnownPage['pool'] = api.database.pool): Promise<KnownPage> => {
      const crawl = await newCrawl(api.database, crawlId);
      const scores = [1, 2, 3].map((score) => ({ url: `http://8.8.8.8/${score}`, row: { score } }));
      await addPages(api.database, crawl, scores);
      const { conf } = parseConf({ 'http.agent.name': 'x', 'generate.topN': '1' });
      const page = (await pageByKey(api.database.pool, crawl, { host: '8.8.8.8', key: '8.8.8.8:http/1' }))!;
      return { pool, crawl, conf, rules: makeUrlRules(conf), page };
    };
    /** A pool whose read-only transactions fail: those of the selection. */
    const failing = (error: Error): KnownPage['pool'] => {
      const { pool } = api.database;
      const connect = async () => {
        const client = await pool.connect();
        const query = (statement: string | { text: string }) =>
          typeof statement === 'object' && statement.text === 'set transaction read only'
            ? Promise.reject(error)
            : client.query(statement as string);
        return Object.create(client, { query: { value: query } }) as typeof client;
      };
      const query = (statement: { text: string; values: unknown[] }) => pool.query(statement);
      return { connect, query } as unknown as typeof pool;
    };

    it('was not found in time, which does not exclude the page', async () => {
      const page = await known('late');
      expect(await pageReasons(page)).toMatchObject([{ code: 'TOP_N' }]);
      // Each reading of the clock is four seconds later than the one before.
      const clock = performance.now.bind(performance);
      let readings = 0;
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 4_000 * ++readings);
      expect(await pageReasons(page)).toEqual([late]);
      spy.mockRestore();
    });

    it('was not found in time if PostgreSQL cancelled a statement for that', async () => {
      const cancelled = Object.assign(new Error('canceling statement'), { code: '57014' });
      expect(await pageReasons(await known('cancelled', failing(cancelled)))).toEqual([late]);
    });

    it('is not reported as late if the database failed', async () => {
      const failure = Object.assign(new Error('division by zero'), { code: '22012' });
      await expect(pageReasons(await known('failing', failing(failure)))).rejects.toBe(failure);
    });

    it('is behind the pages of a host that is full, even if GENERATE skips the rest of that host', async () => {
      const page = await known('skipped');
      const { conf } = parseConf({ 'http.agent.name': 'x', 'generate.topN': '10', 'generate.max.count': '2' });
      await addManyPages(api.database, page.crawl, '9.9.9.9', { n: 5_000 });
      await api.database.query('update webpage set rank = 0, fetch_time = now() where crawl = $1', [page.crawl]);
      const last = (await pageByKey(page.pool, page.crawl, { host: '9.9.9.9', key: '9.9.9.9:http/0005000' }))!;
      expect(await pageReasons({ ...page, conf, page: last })).toMatchObject([
        { code: 'HOST_LIMIT', property: 'generate.max.count' },
      ]);
    });

    it('is no reason for a page that was deleted meanwhile', async () => {
      const { pool, crawl, conf, page } = await known('deleted');
      await api.database.query('delete from webpage where crawl = $1', [crawl]);
      const position = await batchPosition(pool, { crawl, conf, args: {}, timeout: PATIENCE_MS }, page);
      expect(position).toEqual({ outcome: null, before: 0, ofGroup: 0 });
    });

    const late = {
      code: 'PLACE_UNKNOWN',
      blocks: false,
      message: 'Its position in the next batch was not found within 3000 ms.',
    };
  });

  it('fetches robots.txt once and then uses its cache', async () => {
    const url = `${site.url}/private/a`;
    const first = await answer({ url, confId: 'open', robots: true });
    const line = { number: 3, text: 'Disallow: /private/' };
    expect(first).toMatchObject({
      robots: { state: 'rules', allowed: false, crawlDelay: 2, line, fetched: true },
      fetchable: { now: false },
    });
    expect(first.fetchable.reasons).toContainEqual(expect.objectContaining({ code: 'ROBOTS_DENIED', line }));
    expect(await answer({ url: `${site.url}/a`, confId: 'open', robots: true })).toMatchObject({
      robots: { state: 'rules', allowed: true, line: null, fetched: false },
      fetchable: { now: true, reasons: [] },
    });
    expect(site.log.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  it('does not fetch robots.txt from an internal address', async () => {
    const before = site.connections();
    const found = await answer({ url: `${site.url}/`, robots: true });
    expect(found).toMatchObject({ robots: { state: 'not-asked', allowed: null }, fetchable: { now: false } });
    expect(site.connections()).toBe(before);
  });

  it.each([
    [undefined, 'BODY_REFUSED', 'empty'],
    [[], 'FIELDS_INVALID', 'must be an object'],
    [{}, 'FIELDS_INVALID', 'url'],
    [{ url: 7 }, 'FIELDS_INVALID', 'url must be'],
    [{ url: '' }, 'FIELDS_INVALID', 'url must be'],
    [{ url: 'a'.repeat(65_537) }, 'FIELDS_INVALID', 'url must be'],
    [{ url: 'http://a/', scope: 'seed' }, 'FIELDS_INVALID', 'scope must be one of'],
    [{ url: 'http://a/', scope: ['inject'] }, 'FIELDS_INVALID', 'scope must be one of'],
    [{ url: 'http://a/', robots: 'maybe' }, 'FIELDS_INVALID', 'robots must be a boolean'],
    [{ url: 'http://a/', crawlId: '../x' }, 'FIELDS_INVALID', 'crawlId must be'],
    [{ url: 'http://a/', confId: 'a b' }, 'FIELDS_INVALID', 'confId must be'],
    [{ url: 'http://a/', confId: 'none' }, 'CONFIG_ID_UNKNOWN', 'none'],
  ])('refuses %.50j with %s, %s', async (body, code, words) => {
    const { status, body: problem } = await ask(body);
    expect([status, problem.code, problem.detail]).toEqual([400, code, expect.stringContaining(words)]);
  });

  it('accepts a body of 2 MB and returns 413 above 2 MiB', async () => {
    const { status } = await ask({ url: 'http://a/', more: 'a'.repeat(2_000_000) });
    expect(status).toBe(200);
    expect((await ask({ url: 'http://a/', more: 'a'.repeat(2_200_000) })).status).toBe(413);
  });
});
