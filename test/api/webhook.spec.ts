import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/conf/credentials.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const create = (body: object) => request(api.url).post('/v1/webhooks').send(body);
const made = async (more: object = {}) =>
  (await create({ url: 'https://hooks.test/a', ...more })).body as { id: string; secret: string };
const get = (path: string) => request(api.url).get(`/v1/webhooks${path}`);
/** A job of a crawl, and so an event. */
const newJob = (crawlId: string) => request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId, args: {} });

describe('POST /v1/webhooks', () => {
  it('returns the webhook with its own generated secret', async () => {
    const { body, status } = await create({ url: 'https://hooks.test/a#b' });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^\d+$/),
        url: 'https://hooks.test/a',
        events: ['state'],
        crawlId: null,
        state: 'ACTIVE',
        msg: 'OK',
        createdAt: expect.stringMatching(/Z$/),
        secret: expect.stringMatching(/^whsec_[\w-]{32}$/),
      },
    ]);
    expect((await made()).secret).not.toBe(body.secret);
  });

  it('accepts secret, crawlId and events', async () => {
    const given = { url: 'http://hooks.test:8080/', events: ['task', 'progress'], crawlId: '', secret: 's'.repeat(16) };
    expect((await create(given)).body).toMatchObject(given);
  });

  it.each([
    [{ url: 'http://somebody:hidden@hooks.test/' }, '(given: "http://********@hooks.test/")'],
    [{ url: 'http://hooks.test/', secret: 'hidden' }, '(given: ********)'],
  ])('repeats no secret of a refused request: %j', async (given, repeated) => {
    const { status, body } = await create(given);
    expect([status, JSON.stringify(body).includes('hidden')]).toEqual([400, false]);
    expect(body.detail).toContain(repeated);
  });

  it.each([
    ['ftp://hooks.test/', 'must begin with http:// or https:// and a host'],
    ['file:///etc/passwd', 'must begin with http:// or https:// and a host'],
    ['data:text/plain,a', 'must begin with http:// or https:// and a host'],
    // The URL parser would read all of them as http://hooks.test/.
    ...[
      'http:/hooks.test',
      'http:hooks.test',
      'http:///hooks.test',
      'http:\\\\hooks.test',
      ' http://hooks.test',
      'http://\thooks.test',
    ].map((url): [string, string] => [url, 'must begin with http:// or https:// and a host']),
    ['hooks.test/a', 'must be an absolute URL'],
    ['', 'must be an absolute URL'],
    [`http://hooks.test/${'a'.repeat(2_000)}`, 'must be an absolute URL'],
    ['http://user:pass@hooks.test/', 'must not have a name or password'],
    ['http://hooks.test:0/', 'has a port that is never connected to'],
    ['http://hooks.test:22/', 'has a port that is never connected to'],
    ['http://hooks.test:6379/', 'has a port that is never connected to'],
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '017700000001',
      '0',
      '10.0.0.1',
      '169.254.169.254',
      '192.168.1.1',
      '100.64.0.1',
      '[::1]',
      '[::]',
      '[::ffff:7f00:1]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:7f00:1::]',
      '[fd00:ec2::254]',
      '[fe80::1]',
      'localhost',
      'localhost.',
      'a.localhost',
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
    ].map((host): [string, string] => [`http://${host}/`, 'leads to an inner address']),
  ])('refuses %s: %s', async (url, why) => {
    const { status, body } = await create({ url });
    expect([status, body.code, body.detail]).toEqual([400, 'WEBHOOK_URL_REFUSED', expect.stringContaining(why)]);
    expect([...body.errors, body.detail]).toEqual([{ field: 'url', message: body.detail.slice(0, -1) }, body.detail]);
  });

  it.each([
    [{}, 'url'],
    [{ url: 5 }, 'url'],
    [{ url: ['http://a.test/'] }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: 'state' }, 'events'],
    [{ events: ['all'] }, 'events'],
    [{ events: ['state', 'state'] }, 'events'],
    [{ events: [['state']] }, 'events'],
    [{ crawlId: 'a b' }, 'crawlId'],
    [{ crawlId: { a: 1 } }, 'crawlId'],
    [{ secret: 'short' }, 'secret'],
    [{ secret: `with a blank ${'x'.repeat(16)}` }, 'secret'],
    [{ secret: 'x'.repeat(201) }, 'secret'],
  ])('%j returns 400 that names %s', async (more, field) => {
    const { status, body } = await create(
      'url' in more || field === 'url' ? more : { url: 'https://hooks.test/', ...more },
    );
    expect([status, body.code, body.errors?.[0].field]).toEqual([400, 'FIELDS_INVALID', field]);
  });

  it('refuses the port of the API itself, whatever addresses are open', async () => {
    await request(api.url).put('/config/default/http.filter.ipaddress.exclude').type('text/plain').send('');
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const { status, body } = await create({ url: `http://${host}:${api.port}/admin/stop` });
      expect([status, body.code, body.detail]).toEqual([
        400,
        'WEBHOOK_URL_REFUSED',
        expect.stringContaining('leads to this server itself'),
      ]);
    }
  });

  it('accepts an internal address that configuration default includes', async () => {
    await request(api.url).put('/config/default/http.filter.ipaddress.exclude').type('text/plain').send('');
    await request(api.url).put('/config/default/http.filter.ipaddress.include').type('text/plain').send('10.0.0.0/8');
    const [open, shut] = [await create({ url: 'http://10.0.0.1/' }), await create({ url: 'http://192.0.2.1/' })];
    await request(api.url).put('/config/default/http.filter.ipaddress.include').type('text/plain').send('');
    expect([open.status, shut.status]).toEqual([200, 400]);
  });
});

describe('the secret of a webhook', () => {
  it('is in no other response', async () => {
    const { id, secret } = await made({ secret: 'never-shown-again-0' });
    expect(secret).toBe('never-shown-again-0');
    for (const path of ['', `/${id}`, `/${id}/deliveries`]) expect((await get(path)).text).not.toContain(secret);
  });
});

describe('webhooks', () => {
  it('are listed by cursor, oldest first', async () => {
    const { body: all } = await get('');
    const { body: first } = await get('?limit=2');
    expect(first.webhooks).toEqual(all.webhooks.slice(0, 2));
    const { body: rest } = await get(`?cursor=${first.cursor}`);
    expect([rest.webhooks, rest.cursor]).toEqual([all.webhooks.slice(2), null]);
  });

  it('are deleted with their deliveries', async () => {
    const { id } = await made();
    await newJob('gone');
    expect((await get(`/${id}/deliveries`)).body.deliveries).toHaveLength(1);
    expect((await request(api.url).delete(`/v1/webhooks/${id}`)).status).toBe(200);
    expect((await get(`/${id}`)).status).toBe(404);
    expect((await request(api.url).delete(`/v1/webhooks/${id}`)).body.code).toBe('WEBHOOK_UNKNOWN');
    expect(await api.database.query('select from webhook_delivery where webhook = $1', [id])).toEqual([]);
  });

  it.each(['/x', '/0', '/999999', "/1'--", `/${'9'.repeat(40)}`, '/-1', '/1e3'])('%s returns 404', async (path) => {
    for (const answer of [
      await get(path),
      await get(`${path}/deliveries`),
      await request(api.url).post(`/v1/webhooks${path}/replay`),
      await request(api.url).post(`/v1/webhooks${path}/deliveries/1/replay`),
      await request(api.url).delete(`/v1/webhooks${path}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'WEBHOOK_UNKNOWN']);
  });

  it.each(['?limit=0', '?limit=1001', '?limit=x', '?cursor=x', '?cursor=-1'])('GET %s returns 400', async (query) => {
    expect((await get(query)).body.code).toBe('FIELDS_INVALID');
  });
});

describe('deliveries of a webhook', () => {
  it('are listed by state and cursor, newest first, and can be replayed', async () => {
    const { id } = await made({ crawlId: 'd1' });
    for (let n = 0; n < 5; n++) await newJob('d1');
    const { body: all } = await get(`/${id}/deliveries`);
    expect(all.deliveries).toHaveLength(5);
    expect(all.deliveries[0]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      eventId: expect.stringMatching(/^\d+$/),
      state: 'WAITING',
      attempts: 0,
      nextAt: expect.stringMatching(/Z$/),
      status: null,
      msg: '',
      createdAt: expect.stringMatching(/Z$/),
      endedAt: null,
    });
    const { body: first } = await get(`/${id}/deliveries?limit=2`);
    const { body: rest } = await get(`/${id}/deliveries?cursor=${first.cursor}&limit=3`);
    expect([...first.deliveries, ...rest.deliveries]).toEqual(all.deliveries);
    expect(rest.cursor).toBeNull();
    await api.database.query(
      `update webhook_delivery set state = 'DEAD', ended_at = now(), msg = 'answered 500', status = 500 where id = $1`,
      [all.deliveries[1].id],
    );
    const { body: dead } = await get(`/${id}/deliveries?state=DEAD`);
    expect(dead.deliveries).toMatchObject([
      { id: all.deliveries[1].id, nextAt: null, msg: 'answered 500', status: 500 },
    ]);
    expect((await get(`/${id}/deliveries?state=dead`)).body.code).toBe('FIELDS_INVALID');

    const again = await request(api.url).post(`/v1/webhooks/${id}/deliveries/${all.deliveries[1].id}/replay`);
    expect([again.status, again.body]).toMatchObject([200, { state: 'WAITING', attempts: 0, endedAt: null }]);
    const none = await request(api.url).post(`/v1/webhooks/${id}/deliveries/x/replay`);
    expect([none.status, none.body.code]).toEqual([404, 'DELIVERY_UNKNOWN']);
  });

  it('are created again from the event log, after ?after', async () => {
    for (let n = 0; n < 3; n++) await newJob('d2');
    const { id } = await made({ crawlId: 'd2' });
    const { body } = await request(api.url).post(`/v1/webhooks/${id}/replay`);
    expect(body).toEqual({ deliveries: 3, last: expect.stringMatching(/^\d+$/) });
    const { body: rest } = await request(api.url).post(`/v1/webhooks/${id}/replay?after=${body.last}`);
    expect(rest).toEqual({ deliveries: 0, last: null });
    expect((await request(api.url).post(`/v1/webhooks/${id}/replay?after=x`)).body.code).toBe('FIELDS_INVALID');
  });

  it('are not created again while 100,000 wait', async () => {
    await newJob('d3');
    const { id } = await made({ crawlId: 'd3' });
    const wait = (n: number) =>
      api.database.query(
        `insert into webhook_delivery (webhook, event) select $1, max(id) from job_event, generate_series(1, $2) n group by n`,
        [id, n],
      );
    const replay = () => request(api.url).post(`/v1/webhooks/${id}/replay`);
    await wait(99_999);
    expect((await replay()).body).toMatchObject({ deliveries: 1 });
    const { status, body, headers } = await replay();
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'TOO_MANY_DELIVERIES', '60']);
    await api.database.query('delete from webhook_delivery where webhook = $1', [id]);
    expect((await replay()).body).toMatchObject({ deliveries: 1 });
  });

  it('are not replayed for a webhook in state OFF', async () => {
    const { id } = await made();
    await api.database.query(`update webhook set state = 'OFF', msg = 'the receiver answered 410' where id = $1`, [id]);
    for (const path of ['replay', 'deliveries/1/replay']) {
      const { status, body } = await request(api.url).post(`/v1/webhooks/${id}/${path}`);
      expect([status, body.code]).toEqual([409, 'WEBHOOK_OFF']);
    }
  });
});

it('POST /v1/webhooks returns 409 when 100 webhooks exist', async () => {
  await api.database.query(
    `insert into webhook (url, events, secret) select 'http://a.test/', '{state}', 'x' from generate_series(1, 100)`,
  );
  const { status, body } = await create({ url: 'https://hooks.test/' });
  expect([status, body.code]).toEqual([409, 'TOO_MANY_WEBHOOKS']);
});

describe('webhooks of an API with keys', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest();
  const key = (name: string, scope: Scope) => ({ name, scope, sha256: sha256(`secret-of-${name}`) });
  const bearer = (name: string) => ({ Authorization: `Bearer secret-of-${name}` });
  const url = 'https://hooks.test/services/T0/B0/secret?token=secret';
  let locked: ApiUnderTest;
  beforeAll(async () => {
    const apiKeys = [key('ann', 'run'), key('bob', 'run'), key('chief', 'admin')];
    locked = await apiUnderTest({ apiKeys }, api.database);
    await api.database.query('delete from webhook');
  });
  afterAll(() => locked?.close());
  const as = (name: string) => ({
    create: () => request(locked.url).post('/v1/webhooks').set(bearer(name)).send({ url }),
    get: (path: string) => request(locked.url).get(`/v1/webhooks${path}`).set(bearer(name)),
    post: (path: string) => request(locked.url).post(`/v1/webhooks${path}`).set(bearer(name)),
    remove: (id: string) => request(locked.url).delete(`/v1/webhooks/${id}`).set(bearer(name)),
  });

  it('show their URL to the key that created them and to admins, to others only the host', async () => {
    const { id } = (await as('ann').create()).body as { id: string };
    const seen = async (name: string) => {
      const { webhooks } = (await as(name).get('?limit=1000')).body as { webhooks: { id: string; url: string }[] };
      return [(await as(name).get(`/${id}`)).body.url, webhooks.find((one) => one.id === id)?.url];
    };
    expect(await seen('ann')).toEqual([url, url]);
    expect(await seen('chief')).toEqual([url, url]);
    expect(await seen('bob')).toEqual(['https://hooks.test/********', 'https://hooks.test/********']);
  });

  it('can be deleted and replayed only by the key that created them and by admins', async () => {
    const { id } = (await as('ann').create()).body as { id: string };
    for (const refused of [await as('bob').remove(id), await as('bob').post(`/${id}/replay?after=0`)])
      expect([refused.status, refused.body.code]).toEqual([403, 'WEBHOOK_OF_ANOTHER']);
    expect((await as('ann').remove(id)).status).toBe(200);
    const another = (await as('ann').create()).body as { id: string };
    expect((await as('chief').remove(another.id)).status).toBe(200);
  });

  it('created without a key show their URL only to admins', async () => {
    const { id } = await made({ url });
    expect((await as('ann').get(`/${id}`)).body.url).toBe('https://hooks.test/********');
    expect((await as('chief').get(`/${id}`)).body.url).toBe(url);
    expect((await as('ann').remove(id)).status).toBe(403);
  });

  it('are limited to 25 per key; admins may create more', async () => {
    let refused = await as('bob').create();
    for (let n = 0; n < 26 && refused.status === 200; n++) refused = await as('bob').create();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('25 webhooks of this key')]);
    expect((await as('chief').create()).status).toBe(200);
  });

  it('are refused to keys when 90 exist: the last ten are for admins', async () => {
    await api.database.query('delete from webhook');
    await api.database.query(
      `insert into webhook (url, events, secret) select 'http://a.test/', '{state}', 'x' from generate_series(1, 90)`,
    );
    const refused = await as('ann').create();
    expect([refused.status, refused.body.code]).toEqual([409, 'TOO_MANY_WEBHOOKS']);
    expect((await as('chief').create()).status).toBe(200);
  });
});
