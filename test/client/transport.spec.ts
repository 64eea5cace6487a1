import { afterEach, describe, expect, it, vi } from 'vitest';
import { Orbweaver, OrbweaverProblem, OrbweaverUnreachable } from '../../clients/typescript/src/orbweaver.js';
import { type Handler, page, redirect, silence, type Site, startSite, status } from '../support/site.js';

/** The client against other servers: what it sends, and how it handles untrusted responses. */

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function clientOf(
  handlers: Handler | Record<string, Handler>,
  options: { key?: string; timeout?: number; idleTimeout?: number } = {},
) {
  const site = await startSite(handlers);
  sites.push(site);
  return { site, client: new Orbweaver({ url: `${site.url}/`, ...options }) };
}

const json = (value: unknown): Handler => page(JSON.stringify(value), { 'content-type': 'application/json' });

describe('a call of the client', () => {
  it('sends the key, the idempotency key, further headers, the query and an Accept header', async () => {
    const { site, client } = await clientOf({ '*': json([]) }, { key: 'a-secret-of-24-characters' });
    await client.config.ids({
      idempotencyKey: 'once',
      headers: { 'X-More': 'yes' },
      query: { crawlId: 'k 1', no: undefined, tag: ['a', 'b'] },
    });
    expect(site.log[0]).toMatchObject({
      path: '/config?crawlId=k+1&tag=a&tag=b',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer a-secret-of-24-characters',
        'idempotency-key': 'once',
        'x-more': 'yes',
      },
    });
  });

  it('escapes path segments, and refuses empty and dot segments', async () => {
    const { site, client } = await clientOf({ '*': json({}) });
    await client.job.read('a/b?c#d e');
    expect(site.log[0]?.path).toBe('/job/a%2Fb%3Fc%23d%20e');
    for (const id of ['', '.', '..']) expect(() => client.job.read(id)).toThrow(TypeError);
  });

  it('sends a text as JSON', async () => {
    const bodies: string[] = [];
    const { client } = await clientOf(async (req, res) => {
      for await (const chunk of req) bodies.push(String(chunk));
      res.end();
    });
    await client.config.set('default', 'http.agent.name', 'bot');
    expect(bodies).toEqual(['"bot"']);
  });

  it('does not follow a redirect, which would send the key to another server', async () => {
    const elsewhere = await clientOf({ '*': json([]) });
    const { client } = await clientOf(
      { '*': redirect(`${elsewhere.site.url}/config`, 307) },
      { key: 'a-secret-of-24-characters' },
    );
    await expect(client.config.ids()).rejects.toMatchObject({ name: 'OrbweaverProblem', status: 307 });
    expect(elsewhere.site.connections()).toBe(0);
  });

  it('ignores a proxy in the environment', async () => {
    const proxy = await clientOf({ '*': json(['proxied']) });
    vi.stubEnv('http_proxy', proxy.site.url);
    try {
      const { client } = await clientOf({ '*': json([]) });
      expect(await client.config.ids()).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(proxy.site.connections()).toBe(0);
  });
});

describe('a refused call of the client', () => {
  it('throws OrbweaverProblem with code, status, detail and errors', async () => {
    const problem = {
      title: 'Arguments not valid',
      status: 400,
      code: 'JOB_ARGS_INVALID',
      detail: 'args.topN must be an integer',
      errors: [{ field: 'args.topN', message: 'must be an integer' }],
    };
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '3' };
    const { client } = await clientOf({ '*': page(JSON.stringify(problem), headers, 400) });
    const error: unknown = await client.config.ids().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OrbweaverProblem);
    expect(error).toMatchObject({ ...problem, message: problem.detail, retryAfter: 3 });
  });

  it.each([
    ['a page of a proxy', page('<h1>Bad gateway</h1>', {}, 502), 'HTTP_502'],
    ['an empty answer', page('', {}, 403), 'HTTP_403'],
    ['JSON that is no object', page('[1]', {}, 404), 'HTTP_404'],
  ])('throws OrbweaverProblem for %s', async (_, handler, code) => {
    const { client } = await clientOf({ '*': handler });
    await expect(client.config.ids()).rejects.toMatchObject({ name: 'OrbweaverProblem', code, errors: [] });
  });

  it('does not contain the key in its error', async () => {
    const key = 'a-secret-of-24-characters';
    const { client } = await clientOf({ '*': status(500) }, { key });
    const refused = await client.config.ids().catch((error: unknown) => error);
    const lost = await new Orbweaver({ url: 'http://127.0.0.1:1', key }).config.ids().catch((error: unknown) => error);
    for (const error of [refused, lost]) {
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(key);
    }
  });
});

describe('a call without a complete response throws OrbweaverUnreachable', () => {
  it.each<[string, Handler, string | undefined]>([
    ['when no response arrives in time', silence, 'ECONNABORTED'],
    [
      'when the connection breaks',
      (_, res) => void res.writeHead(200, { 'content-length': '9' }).write('[', () => res.destroy()),
      undefined,
    ],
    [
      'when the response stalls',
      (_, res) => void res.writeHead(200, { 'content-length': '9' }).write('['),
      'ETIMEDOUT',
    ],
    ['when the response is no JSON', page('<html>'), undefined],
  ])('%s', async (_, handler, cause) => {
    const { client } = await clientOf(handler, { timeout: 200, idleTimeout: 200 });
    const error: unknown = await client.config.ids().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OrbweaverUnreachable);
    if (cause) expect(error).toMatchObject({ cause });
  });

  it('when the connection is refused', async () => {
    await expect(new Orbweaver('http://127.0.0.1:1').config.ids()).rejects.toMatchObject({
      name: 'OrbweaverUnreachable',
      cause: 'ECONNREFUSED',
    });
  });

  it('but an aborted call throws the reason of the signal', async () => {
    const { client } = await clientOf(silence);
    const why = new Error('enough');
    const abort = new AbortController();
    const call = client.config.ids({ signal: abort.signal });
    abort.abort(why);
    await expect(call).rejects.toBe(why);
  });
});
