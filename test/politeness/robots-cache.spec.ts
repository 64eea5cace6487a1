import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Handler, type Site, cutShort, page, redirect, slowDrip } from '../support/site.js';
import { closedPort, cycle, site, taskCache, unresolved, useRobots } from './robots-under-test.js';

/** The robots.txt cache of a task: how much of it is kept, and what an unreachable file means (RFC 9309 §2.3.1.4). */

useRobots();

const rules = (text: string) => page(text, { 'content-type': 'text/plain' });

describe('a robots.txt that is not in the cache (RFC 9309 §2.4)', () => {
  it('is not fetched by a caller that lost its right during the table read, and then by the next one', async () => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /no/') });
    const { cache, reads } = taskCache();
    let held = true;
    const asked = cache.get(web.url, () => held);
    held = false;
    expect(await asked).toMatchObject({ notRequested: true, fetched: false });
    expect([web.log.length, reads.count]).toEqual([0, 1]);
    const { meaning, fetched } = await cache.get(web.url, () => true);
    expect([meaning.kind, fetched, web.log.length]).toEqual(['rules', true, 1]);
  });
});

describe('a robots.txt of a host on http.robot.rules.allowlist', () => {
  it.each(['BÜCHER.test', 'bücher.test', 'xn--bcher-kva.test'])(
    'is not requested if it is listed as %s',
    async (name) => {
      const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') });
      const { cache } = taskCache({ 'http.robot.rules.allowlist': name });
      const origin = (host: string) => `http://${host}:${web.port}`;
      expect(await cache.get(origin('xn--bcher-kva.test'))).toMatchObject({
        meaning: { kind: 'allow' },
        fetched: false,
      });
      expect(await cache.get(origin('other.test'))).toMatchObject({ meaning: { kind: 'rules' }, fetched: true });
    },
  );
});

describe('a robots.txt that a task with another configuration has stored', () => {
  it.each([
    ['is requested again by one that believes files for a shorter time', '86400', '0', true],
    ['is requested again when it has expired for the one that stored it', '0', '86400', true],
    ['serves one that believes it, too', '86400', '3600', false],
  ])('%s', async (_, before, seconds, fetched) => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /no/') });
    await taskCache({ 'http.robots.cache.seconds': before }).cache.get(web.url);
    const { cache } = taskCache({ 'http.robots.cache.seconds': seconds });
    expect(await cache.get(web.url)).toMatchObject({ meaning: { kind: 'rules' }, fetched });
    expect(web.log.length).toBe(fetched ? 2 : 1);
  });
});

describe('a robots.txt that is longer than http.robots.content.limit (RFC 9309 §2.5)', () => {
  const limit = 512_000;
  /** A file whose last rule, of 19 bytes, ends that many bytes after the limit. */
  const file = (beyond: number) => {
    const [head, last] = ['user-agent: *\ndisallow: /a\n', '\ndisallow: /private'];
    return head + '#'.repeat(limit + beyond - head.length - last.length) + last;
  };

  it.each([
    ['is read up to its last complete line: half a rule may disallow all', 6, true],
    ['is read up to its last complete line when it is too long by one byte', 1, true],
    ['is read to its end when it is not longer', 0, false],
  ])('%s', async (_, beyond, allowed) => {
    const web = await site({ '/robots.txt': rules(file(beyond)) });
    const { cache } = taskCache({ 'http.robots.content.limit': String(limit) });
    const { meaning } = await cache.get(web.url);
    if (meaning.kind !== 'rules') throw new Error(meaning.kind);
    expect(['/a', '/private', '/p'].map((path) => cache.judge(meaning.robots, web.url + path).allowed)).toEqual([
      false,
      allowed,
      true,
    ]);
    // The same for the row in the table, which the next task reads.
    const again = await taskCache({ 'http.robots.content.limit': String(limit) }).cache.get(web.url);
    if (again.meaning.kind !== 'rules') throw new Error(again.meaning.kind);
    expect(cache.judge(again.meaning.robots, `${web.url}/private`).allowed).toBe(allowed);
    expect(web.log.length).toBe(1);
  });
});

describe('robots.txt files that are large together', () => {
  it('are evicted from memory, and read again from the table without a second request', async () => {
    const lines = Array.from({ length: 8_000 }, (_, i) => `disallow: /folder/number/${i}/`);
    const web = await site({ '/robots.txt': rules(`user-agent: *\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const { cache, reads } = taskCache();
    const origins = Array.from({ length: 25 }, (_, i) => `http://127.0.9.${i + 1}:${web.port}`);
    for (const origin of origins) expect((await cache.get(origin)).fetched).toBe(true);
    expect([web.log.length, reads.count]).toEqual([25, 25]);

    const { meaning, fetched } = await cache.get(origins[0]!);
    expect([meaning.kind, fetched, web.log.length, reads.count]).toEqual(['rules', false, 25, 26]);
    if (meaning.kind === 'rules') expect(cache.judge(meaning.robots, '/folder/number/7999/x').allowed).toBe(false);

    await cache.get(origins[0]!);
    await cache.get(origins[24]!);
    expect([web.log.length, reads.count]).toEqual([25, 26]);
  });

  it('stay in memory when they are large because of rules for other crawlers', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `disallow: /${i}/`);
    const text = `user-agent: another\n${lines.join('\n')}\nuser-agent: *\ndisallow: /no/`;
    const web = await site({ '/robots.txt': rules(text) }, { host: '0.0.0.0' });
    const { cache, reads } = taskCache();
    const origins = Array.from({ length: 11 }, (_, i) => `http://127.0.9.${i + 1}:${web.port}`);
    for (const origin of [...origins, ...origins]) await cache.get(origin);
    expect([web.log.length, reads.count]).toEqual([11, 11]);
  });

  it('are requested once in a task, also with http.robots.cache.seconds 0', async () => {
    const lines = Array.from({ length: 8_000 }, (_, i) => `disallow: /folder/number/${i}/`);
    const web = await site({ '/robots.txt': rules(`user-agent: *\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const { cache, reads } = taskCache({ 'http.robots.cache.seconds': '0' });
    const origins = Array.from({ length: 25 }, (_, i) => `http://127.0.9.${i}:${web.port}`);
    for (const fetched of [true, false]) {
      for (const origin of origins)
        expect(await cache.get(origin)).toMatchObject({ meaning: { kind: 'rules' }, fetched });
    }
    // Each has been evicted from memory before it is read the second time.
    expect([web.log.length, reads.count]).toEqual([origins.length, 2 * origins.length]);
    // The next task asks again.
    expect(await taskCache({ 'http.robots.cache.seconds': '0' }).cache.get(origins[0]!)).toMatchObject({
      fetched: true,
    });
  });

  it('do not evict the entry of a deferred host', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`);
    const large = await site({ '/robots.txt': rules(`user-agent:*\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const ill = await site({ '/robots.txt': page('', {}, 503) });
    const { cache } = taskCache();
    await cache.get(ill.url);
    for (let i = 1; i <= 6; i++) await cache.get(`http://127.0.9.${i}:${large.port}`);
    expect(await cache.get(ill.url)).toMatchObject({ meaning: { kind: 'wait' }, fetched: false });
    expect(ill.log).toHaveLength(1);
  });
});

describe('robots.txt files of several tasks at once', () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`);
  const large = () => site({ '/robots.txt': rules(`user-agent:*\n${lines.join('\n')}`) }, { host: '0.0.0.0' });

  it('are in one cache: those of one task evict those of another', async () => {
    const { port } = await large();
    const first = taskCache();
    await first.cache.get(`http://127.0.9.1:${port}`);
    for (let i = 2; i <= 7; i++) await taskCache().cache.get(`http://127.0.9.${i}:${port}`);
    expect(await first.cache.get(`http://127.0.9.1:${port}`)).toMatchObject({
      meaning: { kind: 'rules' },
      fetched: false,
    });
    expect(first.reads.count).toBe(2);
  });

  it('leave the cache when their task ends', async () => {
    const { port } = await large();
    const first = taskCache();
    await first.cache.get(`http://127.0.9.1:${port}`);
    for (let i = 2; i <= 7; i++) {
      const { cache } = taskCache();
      await cache.get(`http://127.0.9.${i}:${port}`);
      cache.close();
    }
    await first.cache.get(`http://127.0.9.1:${port}`);
    expect(first.reads.count).toBe(1);
  });
});

describe('a robots.txt that redirects to an unreachable target', () => {
  it.each<[where: string, target: (closed: number, open: number) => string]>([
    ['a host that refuses connections', (closed) => `http://127.0.9.1:${closed}/robots.txt`],
    ['a closed port of the same host', (closed) => `http://127.0.0.1:${closed}/robots.txt`],
    ['an unknown name', () => 'http://nowhere.test/robots.txt'],
    ['a server without TLS', (_closed, open) => `https://127.0.0.1:${open}/robots.txt`],
  ])('(%s) defers the host', async (_where, target) => {
    unresolved.set('nowhere.test', 'ENOTFOUND');
    const closed = await closedPort();
    const web = await site((req, res) => redirect(target(closed, web.port))(req, res));
    const { cache } = taskCache();
    expect(await cache.get(web.url)).toMatchObject({ meaning: { kind: 'wait' }, fetched: true });
    const { rows } = await cycle.pool.query('select error from robots where origin = $1', [web.url]);
    expect(rows[0]).toMatchObject({ error: expect.stringMatching(/^robots.txt: /) });
  });
});

describe('a robots.txt that broke off after a redirect', () => {
  const text = `user-agent: *\ndisallow: /no/\n${'#'.repeat(500)}\ndisallow: /`;
  const gzipped = gzipSync(text, { level: 0 });
  const half = (coding: string, body: Buffer) =>
    page(body, { 'content-type': 'text/plain', 'content-encoding': coding });
  const broken: [how: string, handler: Handler][] = [
    ['by a damaged coding', half('gzip', gzipped.subarray(0, 300))],
    ['by the connection', cutShort(text.slice(0, 300), text.length)],
    ['by time', slowDrip(100, text.slice(0, 300))],
  ];
  const conf = {
    'http.partial.truncated': 'true',
    'http.time.limit': '1',
    'http.robots.503.defer.visits.retries': '1',
  };

  /** A site whose robots.txt redirects to that of another one, which breaks off the first time. */
  async function moved(handler: Handler): Promise<{ here: Site; there: Site }> {
    const whole = rules(text);
    const there: Site = await site((req, res) => (there.log.length === 1 ? handler : whole)(req, res), {
      host: '127.0.9.1',
    });
    return { here: await site({ '/robots.txt': redirect(`${there.url}/robots.txt`, 301) }), there };
  }

  it.each(broken)('(%s) is not stored as the file of the host that it came from', async (_how, handler) => {
    const { here, there } = await moved(handler);
    expect(await taskCache(conf).cache.get(here.url)).toMatchObject({ meaning: { kind: 'wait' }, fetched: true });
    expect((await cycle.pool.query('select from robots where origin = $1', [there.url])).rowCount).toBe(0);
    const { cache } = taskCache(conf);
    const { meaning, fetched } = await cache.get(there.url);
    expect([meaning.kind, fetched]).toEqual(['rules', true]);
    if (meaning.kind === 'rules') expect(cache.judge(meaning.robots, '/x').allowed).toBe(false);
  });

  it.each(broken)(
    '(%s) is requested once more in its task with http.robots.503.defer.visits.retries 1',
    async (_how, handler) => {
      const { here, there } = await moved(handler);
      const { cache } = taskCache(conf);
      expect(await cache.get(here.url)).toMatchObject({ meaning: { kind: 'wait' }, fetched: true });
      expect(cache.again(here.url)).toBe(true);
      expect(await cache.get(here.url)).toMatchObject({ meaning: { kind: 'rules' }, fetched: true });
      expect(there.log).toHaveLength(2);
    },
  );
});

it.each([0, 2])(
  'a robots.txt that answers 503 is requested again %i times in a task (http.robots.503.defer.visits.retries)',
  async (retries) => {
    const web = await site({ '/robots.txt': page('', {}, 503) });
    const { cache } = taskCache({ 'http.robots.503.defer.visits.retries': String(retries) });
    do await cache.get(web.url);
    while (cache.again(web.url) && web.log.length < 9);
    expect(web.log).toHaveLength(1 + retries);
  },
);

describe('a host that cannot be reached (RFC 9309 §2.3.1.4)', () => {
  it('counts as one without robots.txt until it can be reached: then the file is read', async () => {
    const port = await closedPort();
    const { cache } = taskCache();
    const origin = `http://127.0.0.1:${port}`;
    const unreachable = { ok: false, code: 'refused', message: 'the connection was refused' };
    for (let i = 0; i < 2; i++)
      expect(await cache.get(origin)).toEqual({ meaning: { kind: 'allow' }, fetched: false, unreachable });
    await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') }, { port });
    expect(await cache.get(origin)).toMatchObject({ meaning: { kind: 'rules' }, fetched: true });
  });

  it('counts so, too, while its name does not resolve', async () => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') });
    const { cache } = taskCache();
    const origin = `http://a.test:${web.port}`;
    unresolved.set('a.test', 'ENOTFOUND');
    const unreachable = { ok: false, code: 'dns', message: 'the host name has no address' };
    expect(await cache.get(origin)).toEqual({ meaning: { kind: 'allow' }, fetched: false, unreachable });
    unresolved.clear();
    expect(await cache.get(origin)).toMatchObject({ meaning: { kind: 'rules' }, fetched: true });
  });

  it('because TLS fails counts as one without robots.txt, and is contacted once', async () => {
    const web = await site({});
    const { cache } = taskCache();
    const origin = web.url.replace('http:', 'https:');
    for (const fetched of [true, false])
      expect(await cache.get(origin)).toEqual({ meaning: { kind: 'allow' }, fetched });
    expect(web.connections()).toBe(1);
  });

  it('because its name server fails temporarily is deferred', async () => {
    unresolved.set('a.test', 'EAI_AGAIN');
    const { cache } = taskCache();
    expect(await cache.get('http://a.test')).toMatchObject({ meaning: { kind: 'wait' } });
  });
});
