import { afterAll, afterEach, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { MAX_ROBOTS_BYTES } from '../../src/core/robots/robots-file.js';
import { fetchRobots } from '../../src/net/robots-fetch.js';
import * as site from '../support/site.js';

const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
const opened: site.Site[] = [];
const web = async (handlers: Parameters<typeof site.startSite>[0], options?: site.SiteOptions) => {
  const started = await site.startSite(handlers, options);
  opened.push(started);
  return started;
};
const robots = (origin: string, more: { maxRedirects?: number; headers?: Record<string, string> } = {}) =>
  fetchRobots(client, { origin, headers: {}, limits: DEFAULT_FETCH_LIMITS, maxRedirects: 5, ...more });

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(() => client.close());

it('requests /robots.txt of the origin for any page (RFC 9309 §2.3)', async () => {
  const { url } = await web({ '/robots.txt': site.page('User-agent: *') });
  const file = await robots(`${url}/deep/page.html?q`);
  expect(file).toMatchObject({ status: 200, finalUrl: `${url}/robots.txt`, truncated: false });
  expect('body' in file && file.body.toString()).toBe('User-agent: *');
});

it.each([403, 404, 429, 500, 503])('returns a %s for core/robots to evaluate (RFC 9309 §2.3.1)', async (code) => {
  const { url } = await web(site.status(code));
  expect(await robots(url)).toMatchObject({ status: code });
});

/** That many redirects, then a file. */
const chain = (length: number): Record<string, site.Handler> => {
  const hops = Array.from(
    { length },
    (_, i) => [i === 0 ? '/robots.txt' : `/${i}`, site.redirect(`/${i + 1}`)] as const,
  );
  return { ...Object.fromEntries(hops), [`/${length}`]: site.page('end') };
};

it.each([1, 5])('follows %s redirects: at least five (RFC 9309 §2.3.1.2)', async (length) => {
  const { url } = await web(chain(length));
  expect(await robots(url)).toMatchObject({ status: 200, finalUrl: `${url}/${length}` });
});

it('stops at the sixth redirect (RFC 9309 §2.3.1.2 allows that after five)', async () => {
  const { url, log } = await web(chain(6));
  expect(await robots(url)).toMatchObject({ error: 'too-many-redirects' });
  expect(log.length).toBe(6);
});

it('follows no redirect with maxRedirects 0', async () => {
  const { url } = await web(chain(1));
  expect(await robots(url, { maxRedirects: 0 })).toMatchObject({ error: 'too-many-redirects' });
});

it('stops when a redirect loop closes', async () => {
  const { url, log } = await web({ '/robots.txt': site.redirect('/b'), '/b': site.redirect('/robots.txt') });
  expect(await robots(url)).toMatchObject({ error: 'too-many-redirects' });
  expect(log.length).toBe(2);
});

it.each(['', 'file:///etc/passwd', 'data:text/plain,x', 'http://', 'javascript:1'])(
  'a Location of %j is a bad redirect',
  async (location) => {
    const { url } = await web({ '/robots.txt': site.status(301, location === '' ? {} : { location }) });
    expect(await robots(url)).toMatchObject({ error: 'bad-redirect' });
  },
);

it('does not send cookies and credentials to another host after a redirect', async () => {
  const other = await web(site.page('x'), { host: '127.0.0.2' });
  const { url, log } = await web(site.redirect(`${other.url}/robots.txt`));
  await robots(url, { headers: { cookie: 'a=1', authorization: 'Basic x', 'user-agent': 'bot' } });
  expect(log[0]?.headers).toMatchObject({ cookie: 'a=1', authorization: 'Basic x' });
  expect(other.log[0]?.headers).toMatchObject({ 'user-agent': 'bot' });
  expect(Object.keys(other.log[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['cookie']));
  expect(other.log[0]?.headers.authorization).toBeUndefined();
});

it('reads 500 KiB and no more, after a redirect too (RFC 9309 §2.5)', async () => {
  const { url } = await web({ '/robots.txt': site.redirect('/big'), '/big': site.endlessStream() });
  const file = await robots(url);
  expect('body' in file && [file.body.length, file.truncated]).toEqual([MAX_ROBOTS_BYTES, true]);
});

it('returns the error of a failed fetch', async () => {
  const { url } = await web(site.reset);
  expect(await robots(url)).toMatchObject({ error: 'reset' });
  expect(await robots('no url')).toMatchObject({ error: 'url' });
});
