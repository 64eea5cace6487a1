import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** `PATCH /v1/hosts/{host}`: the settings of a host in a crawl, and how `GET` shows them. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  await addPages(api.database, await newCrawl(api.database, 'k1'), [
    { url: 'http://www.site.test/' },
    { url: 'http://other.test/' },
  ]);
});
afterAll(() => api?.close());

const patch = (host: string, body: object, query = 'crawlId=k1') =>
  request(api.url)
    .patch(`/v1/hosts/${encodeURIComponent(host)}?${query}`)
    .send(body);
const read = async (host: string, query = 'crawlId=k1') =>
  (await request(api.url).get(`/v1/hosts/${encodeURIComponent(host)}?${query}`)).body as Record<string, unknown>;
const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('PATCH /v1/hosts/{host}', () => {
  it('sets the given fields, leaves the others and clears with null', async () => {
    const until = ahead(3_600);
    const first = await patch('www.site.test', { delaySeconds: 2.5, threads: 3, blockedUntil: until });
    expect([first.status, first.body]).toMatchObject([
      200,
      {
        host: 'www.site.test',
        pages: 1,
        settings: { delaySeconds: 2.5, minDelaySeconds: null, threads: 3 },
        delayMs: 2_500,
        drain: false,
        blockedUntil: until,
        blockedBy: 'hand',
        pace: { delaySeconds: 2.5, threads: 3, source: 'host' },
      },
    ]);
    await patch('www.site.test', { drain: true, minDelaySeconds: 0 });
    expect(await read('www.site.test')).toMatchObject({
      settings: { delaySeconds: 2.5, minDelaySeconds: 0, threads: 3 },
      pace: { delaySeconds: 0 },
      drain: true,
      blockedUntil: until,
    });
    const clear = { blockedUntil: null, delaySeconds: null, minDelaySeconds: null, threads: null, drain: null };
    expect((await patch('www.site.test', clear)).body).toMatchObject({
      settings: { delaySeconds: null, minDelaySeconds: null, threads: null },
      pace: { delaySeconds: 5, threads: 1, source: 'property' },
      drain: false,
      blockedUntil: null,
      blockedBy: null,
    });
  });

  it('is idempotent', async () => {
    const body = { delaySeconds: 1, drain: true };
    const [one, two] = [await patch('other.test', body), await patch('other.test', body)];
    expect(two.body).toEqual(one.body);
    await patch('other.test', { delaySeconds: null, drain: false });
  });

  it.each([
    ['new.test', 'test.new', 'new.test'],
    ['NEW2.test.', 'test.new2', 'new2.test'],
    ['münchen.test', 'test.xn--mnchen-3ya', 'xn--mnchen-3ya.test'],
    ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['[2001:DB8::2]', '[2001-db8--2]', '[2001:db8::2]'],
    ['test.site.www', 'test.site.www', 'www.site.test'],
  ])('%s changes the row %s, which need not exist', async (given, key, host) => {
    const { status, body } = await patch(given, { drain: true });
    expect([status, body.key, body.host, body.drain]).toEqual([200, key, host, true]);
    expect(await read(host)).toMatchObject({ key, drain: true });
    await patch(host, { drain: null });
  });

  it('works for a new crawl, and a notice says that it has no pages yet', async () => {
    for (const delaySeconds of [9, 8]) {
      const { body, headers } = await patch('site.test', { delaySeconds }, 'crawlId=k2');
      expect(body).toMatchObject({ pages: 0, settings: { delaySeconds } });
      expect(headers['orbweaver-notice']).toBe('Crawl "k2" has no pages yet: the settings apply when it has.');
    }
    const { headers } = await patch('site.test', { delaySeconds: 9 });
    expect(headers['orbweaver-notice']).toBeUndefined();
  });

  it('with blockedUntil null ends the back-off of the host and of its fetch queue', async () => {
    await api.database.query(
      `update host set failures = 4, blocked_until = now() + interval '1 hour', blocked_by = 'back-off' where host = 'test.other'`,
    );
    await api.database.query(
      `insert into politeness (queue_id, owner, lease_until, next_at, blocked_until)
       values ('other.test', 't', now(), now() + interval '1 hour', now() + interval '1 hour')`,
    );
    expect(await read('other.test')).toMatchObject({
      blockedBy: 'back-off',
      politeness: { blockedUntil: expect.any(String) },
    });
    expect((await patch('other.test', { delaySeconds: 1 })).body).toMatchObject({
      failures: 4,
      blockedBy: 'back-off',
    });
    const { body } = await patch('other.test', { blockedUntil: null });
    expect(body).toMatchObject({
      failures: 0,
      blockedUntil: null,
      blockedBy: null,
      politeness: { blockedUntil: null },
    });
    expect(Date.parse(body.politeness.nextAt)).toBeLessThan(Date.now() + 60_000);
  });

  it.each<[object, string[]]>([
    [{}, ['blockedUntil', 'drain']],
    [{ other: 1 }, ['blockedUntil', 'drain']],
    [{ delaySeconds: -1 }, ['delaySeconds', '-1', '0']],
    [{ delaySeconds: 86_401 }, ['delaySeconds', '86401', '86400']],
    [{ delaySeconds: 'slow' }, ['delaySeconds', 'slow', 'number']],
    [{ delaySeconds: true }, ['delaySeconds', 'true']],
    [{ minDelaySeconds: 1e9 }, ['minDelaySeconds', '86400']],
    [{ threads: 0 }, ['threads', '0', '1']],
    [{ threads: 101 }, ['threads', '101', '100']],
    [{ threads: 1.5 }, ['threads', '1.5', 'integer']],
    [{ drain: 'yes' }, ['drain', 'yes']],
    [{ blockedUntil: 5 }, ['blockedUntil', '5']],
    [{ blockedUntil: 'tomorrow' }, ['blockedUntil', 'tomorrow', 'ISO 8601']],
    [{ blockedUntil: '2030-01-01' }, ['blockedUntil', '2030-01-01', 'ISO 8601']],
    [{ blockedUntil: '2030-13-01T00:00:00Z' }, ['blockedUntil', '2030-13-01', 'exists']],
    [{ blockedUntil: '2031-02-30T00:00:00Z' }, ['blockedUntil', '2031-02-30', 'exists']],
    [{ blockedUntil: '2020-01-01T00:00:00Z' }, ['blockedUntil', 'future']],
    [{ blockedUntil: '2999-01-01T00:00:00Z' }, ['blockedUntil', 'ten years']],
    [{ delaySeconds: -1, threads: 0 }, ['delaySeconds', 'threads']],
  ])('%j returns 400 and names what is allowed', async (body, words) => {
    const answer = await patch('www.site.test', body);
    expect([answer.status, answer.body.code]).toEqual([400, 'FIELDS_INVALID']);
    for (const word of words) expect(answer.body.detail).toContain(word);
  });

  it.each(['a b', 'site.test:80', 'user@site.test', 'a\\b', '%00', 'x'.repeat(300), '[::', '256.256.1.1', '.', 'a?b'])(
    'returns 400 for the invalid host %j',
    async (host) => {
      const { status, body } = await patch(host === '%00' ? '\0' : host, { drain: true });
      expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
      expect(body.detail).toContain('host');
    },
  );

  it('returns 400 for an unknown configuration', async () => {
    const { status, body } = await patch('www.site.test', { drain: true }, 'crawlId=k1&confId=c9');
    expect([status, body.code]).toEqual([400, 'CONFIG_ID_UNKNOWN']);
  });
});

describe('GET /v1/hosts/{host}: pace and robots', () => {
  const robots = (body: string, crawlDelay: number | null, error: string | null = null) =>
    api.database.query(
      `insert into robots (host, origin, fetched_at, expires_at, http_status, body, crawl_delay, error, failures)
       values ('test.site.www', 'http://www.site.test', now(), now() + interval '1 day', $4, $1, $2, $3, $5)
       on conflict (host, origin) do update set body = excluded.body, crawl_delay = excluded.crawl_delay,
         error = excluded.error, http_status = excluded.http_status, failures = excluded.failures`,
      [Buffer.from(body), crawlDelay, error, error ? null : 200, error ? 2 : 0],
    );
  const conf = (configId: string, params: object) =>
    request(api.url).post('/config/create').send({ configId, params: params, force: true });

  it('takes the longer delay of Crawl-delay and host setting', async () => {
    await robots('User-agent: *\nCrawl-delay: 8', 8);
    expect(await read('www.site.test')).toMatchObject({
      pace: { delaySeconds: 8, source: 'robots', threads: 1, refused: false },
      robots: [{ state: 'rules', crawlDelay: 8, error: null }],
    });
    await patch('www.site.test', { delaySeconds: 9 });
    expect(await read('www.site.test')).toMatchObject({ pace: { delaySeconds: 9, source: 'host' } });
    await patch('www.site.test', { delaySeconds: 1 });
    expect(await read('www.site.test')).toMatchObject({ pace: { delaySeconds: 8, source: 'robots' } });
    await patch('www.site.test', { delaySeconds: null });
  });

  it('marks the host refused when Crawl-delay exceeds fetcher.max.crawl.delay', async () => {
    await robots('User-agent: *\nCrawl-delay: 31', 31);
    expect(await read('www.site.test')).toMatchObject({ pace: { refused: true } });
  });

  it('shows the error of a robots.txt that could not be fetched', async () => {
    await robots('', null, 'robots.txt: no answer in time');
    expect(await read('www.site.test')).toMatchObject({
      robots: [{ state: 'defer', httpStatus: null, error: 'robots.txt: no answer in time', failures: 2 }],
    });
  });

  it('shows that FETCH takes a robots.txt for missing that failed for 30 days', async () => {
    await robots('', null, 'robots.txt: no answer in time');
    const failing = (days: number, failures: number) =>
      api.database.query(
        `update robots set failures = $2, failing_since = fetched_at - make_interval(days => $1) where host = 'test.site.www'`,
        [days, failures],
      );
    await failing(29, 29);
    expect(await read('www.site.test')).toMatchObject({ robots: [{ state: 'defer' }] });
    await failing(30, 3);
    expect(await read('www.site.test')).toMatchObject({ robots: [{ state: 'defer' }] });
    await failing(30, 4);
    expect(await read('www.site.test')).toMatchObject({ robots: [{ state: 'allow-all' }] });
  });

  it('names the queue by fetcher.queue.mode and reads metadata of 2.x with fetcher.queue.use.host.settings', async () => {
    await api.database.query(
      `update host set metadata = '{"q_mt": "2", "q_cd": "700", "q_mcd": "x"}' where host = 'test.other'`,
    );
    await patch('other.test', { delaySeconds: null });
    await conf('domains', { 'fetcher.queue.mode': 'byDomain', 'fetcher.queue.use.host.settings': 'true' });
    await conf('addresses', { 'fetcher.queue.mode': 'byIP' });
    expect(await read('other.test', 'crawlId=k1&confId=domains')).toMatchObject({
      pace: { queue: expect.any(String), delaySeconds: 0.7, threads: 2, source: 'host' },
      settings: { delaySeconds: null, threads: null },
    });
    expect(await read('other.test', 'crawlId=k1&confId=addresses')).toMatchObject({
      pace: { queue: null, delaySeconds: 5, source: 'property' },
    });
  });
});

describe('the reason why a host is not fetched', () => {
  const inspect = async (what: string, body: object) =>
    (
      await request(api.url)
        .post(`/v1/inspect/${what}`)
        .send({ crawlId: 'k3', ...body })
    ).body;
  const reasons = async () =>
    ((await inspect('url', { url: 'http://back.test/' })).fetchable.reasons as { code: string; blocks: boolean }[])
      .filter(({ code }) => code.startsWith('HOST_'))
      .map(({ code, blocks }) => [code, blocks]);
  const leftOut = async () => (await inspect('generate', {})).leftOut;

  it('is reported by /v1/inspect/url and /v1/inspect/generate', async () => {
    await addPages(api.database, await newCrawl(api.database, 'k3'), [
      { url: 'http://back.test/' },
      { url: 'http://back.test/a' },
    ]);
    await api.database.query(`update webpage set fetch_time = now() - interval '1 hour' where host = 'test.back'`);
    expect(await reasons()).toEqual([]);
    await patch('back.test', { drain: true }, 'crawlId=k3');
    expect(await reasons()).toEqual([['HOST_DRAINED', true]]);
    expect(await leftOut()).toMatchObject({ HOST_DRAINED: 2 });
    await patch('back.test', { drain: null, blockedUntil: ahead(30) }, 'crawlId=k3');
    expect(await reasons()).toEqual([['HOST_BLOCKED', true]]);
    expect(await leftOut()).toMatchObject({ HOST_BLOCKED: 2 });
  });

  it('does not include a short back-off, which FETCH waits for', async () => {
    const backOff = (seconds: number) =>
      api.database.query(
        `update host set blocked_by = 'back-off', blocked_until = now() + make_interval(secs => $1), failures = 1
          where host = 'test.back'`,
        [seconds],
      );
    await backOff(30);
    expect([await reasons(), (await leftOut())['HOST_BLOCKED']]).toEqual([[['HOST_BLOCKED', false]], undefined]);
    await backOff(3_000);
    expect([await reasons(), await leftOut()]).toMatchObject([[['HOST_BLOCKED', true]], { HOST_BLOCKED: 2 }]);
  });
});
