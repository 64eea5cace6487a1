import { beforeEach, describe, expect, it } from 'vitest';
import { type Handler, page, redirect } from '../support/site.js';
import { crawler, cycle, untilTestEnds, useCrawler } from './crawler.js';
import { entry, index, sitemapsOf, urlset } from './sitemaps.js';
import { pageAt } from './table.js';

/** Passwords in the URLs that sites name (`http://user:password@host/`, RFC 3986 §3.2.1): they are not stored. */

useCrawler();

let crawlId = '';
/** The password of the running test. */
let password = '';
let tests = 0;
beforeEach(() => {
  crawlId = `u${++tests}`;
  password = `hunter${tests}x`;
});

/** `//user:password@` and the rest. */
type Secret = (rest: string) => string;
const secret: Secret = (rest) => `//me:${password}@${rest}`;

/** The tables of which some row contains the password; bodies of pages are compressed. */
async function tablesWithPassword(): Promise<string[]> {
  const tables = await cycle.db.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const each = tables.map(({ name }) => `select '${name}' as name from ${name} t where t::text like $1`);
  const found = await cycle.db.query<{ name: string }>(each.join(' union '), [`%${password}%`]);
  return found.map(({ name }) => name);
}

const linked = (attributes: string): Handler => page(`<link ${attributes}>`);
const refresh = (content: string): Handler => page(`<meta http-equiv=refresh content="${content}">`);

describe('user info is not stored of a URL that is', () => {
  it.each<[string, (at: Secret) => Handler]>([
    ['the Location of a permanent redirect', (at) => redirect(`http:${at('127.0.0.1/b')}`, 301)],
    ['the Location of a temporary redirect', (at) => redirect(at('127.0.0.1/b'), 302)],
    ['a Location that the rules reject', (at) => redirect(`http:${at('127.0.0.1/b.gif')}`, 301)],
    ['a Location with another scheme', (at) => redirect(`gopher:${at('127.0.0.1/b')}`, 301)],
    ['a meta refresh', (at) => refresh(`0; url=http:${at('127.0.0.1/b')}`)],
    ['a meta refresh that the rules reject', (at) => refresh(`9; url=http:${at('127.0.0.1/b.gif')}`)],
    ['a canonical link', (at) => linked(`rel=canonical href="http:${at('127.0.0.1/b')}"`)],
    ['an alternate', (at) => linked(`rel=alternate hreflang=fr href="${at('127.0.0.1/b')}"`)],
    ['an image', (at) => page(`<img src="${at('127.0.0.1/b.png')}" alt=b>`)],
    ['a link', (at) => page(`<a href="http:${at('127.0.0.1/b')}">b</a><a href="ftp:${at('127.0.0.1/c')}">c</a>`)],
    ['a base', (at) => page(`<base href="http:${at('127.0.0.1/')}"><a href=b>b</a><img src=b.png>`)],
    [
      'in a feed',
      (at) => page(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="http:${at('127.0.0.1/b')}"/></feed>`),
    ],
  ])('%s', async (_what, handler) => {
    const site = await crawler.site({ '/a': handler(secret) });
    await crawler.inject(crawlId, [`${site.url}/a`]);
    const conf = { 'parse.html.metadata': 'hreflang,images' };
    await crawler.untilParsed(crawlId, conf);
    await crawler.update(crawlId, {}, conf);
    expect(await pageAt(cycle, '/a', crawlId)).not.toMatchObject({ protocol_code: null });
    expect(await tablesWithPassword()).toEqual([]);
  });

  it.each<[string, (at: Secret) => Record<string, Handler>]>([
    ['an entry of a sitemap', (at) => ({ '/m': urlset(entry(`http:${at('127.0.0.1/b')}`)) })],
    ['an entry outside the path of its sitemap', (at) => ({ '/m': urlset(entry(`http:${at('127.0.0.2/b')}`)) })],
    ['an invalid entry of a sitemap', (at) => ({ '/m': urlset(entry(`ftp:${at('127.0.0.1/b')}`)) })],
    ['a relative entry of a sitemap', (at) => ({ '/m': urlset(entry(at('127.0.0.1/b'))) })],
    ['in a sitemap index', (at) => ({ '/m': index(`http:${at('127.0.0.1/n')}`, at('127.0.0.1/n')) })],
    ['the redirect of a sitemap', (at) => ({ '/m': redirect(`ftp:${at('127.0.0.1/n')}`) })],
  ])('%s', async (_what, handlers) => {
    const { site, closeSites, run, rows } = sitemapsOf(cycle);
    untilTestEnds({ close: closeSites });
    const { url } = await site(() => handlers(secret));
    await run(crawlId, { sitemapUrls: [`${url}/m`] });
    expect((await rows(crawlId)).map(({ status }) => status)).not.toContain(null);
    expect(await tablesWithPassword()).toEqual([]);
  });
});

it('a redirect to a URL with user info is followed without it, and shown so', async () => {
  const there: Handler = (req, res) => redirect(`http:${secret(`${req.headers.host}/b`)}`, 301)(req, res);
  const site = await crawler.site({ '/a': there, '/b': page('b') });
  const target = `${site.url}/b`;
  await crawler.inject(crawlId, [`${site.url}/a`]);
  await crawler.round(crawlId);
  const row = await pageAt(cycle, '/a', crawlId);
  expect(row).toMatchObject({ redirect_url: target, repr_url: target, protocol_args: [target] });
  await crawler.round(crawlId);
  expect(site.log.at(-1)).toMatchObject({
    path: '/b',
    headers: expect.not.objectContaining({ authorization: expect.anything() }),
  });
});

it('the headers of a page are stored as they were sent', async () => {
  const at = `http:${secret('127.0.0.1/b')}`;
  const site = await crawler.site({ '/a': page('a', { 'content-location': at }) });
  await crawler.inject(crawlId, [`${site.url}/a`]);
  await crawler.round(crawlId);
  const stored = await cycle.db.query(`select headers->>'content-location' as at from page_content`);
  expect(stored).toContainEqual({ at });
});
