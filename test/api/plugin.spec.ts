import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlugins } from '../../src/plugin/external.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

interface Listed {
  plugins: {
    id: string;
    className: string;
    description: string;
    points: { point: string; order: number | null }[];
    origin: string;
    active: boolean;
    requires: string[];
  }[];
  notBuilt: string[];
  unknown: string[];
}

let api: ApiUnderTest;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  await writeFile(
    join(dir, 'no-drafts.mjs'),
    `export default { id: 'no-drafts', className: 'test.NoDrafts', description: 'Drops drafts.',
      requires: ['urlnormalizer-pass'],
      properties: { 'test.drafts': { kind: 'int', default: 1, description: 'Drafts.' } },
      makeFilter: (conf) => {
        if (conf['test.drafts'] > 9) throw new Error('too many drafts');
        return (url) => ({ accepted: !url.includes('draft'), rule: { number: 1, text: '-draft' } });
      } };`,
  );
  await startPlugins(dir, () => undefined);
  api = await apiUnderTest({ pluginDir: dir });
});
afterAll(async () => {
  await api?.close();
  await rm(dir, { recursive: true, force: true });
});

const list = async (params?: Record<string, string>): Promise<Listed> => {
  if (params) await request(api.url).post('/config/create').send({ configId: 'c1', force: true, params });
  const answer = await request(api.url)
    .get('/v1/plugins')
    .query(params ? { confId: 'c1' } : {});
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as Listed;
};
const one = ({ plugins }: Listed, id: string) => plugins.find((plugin) => plugin.id === id);

describe('GET /v1/plugins', () => {
  it('returns for every plugin its description, extension points and whether it is active', async () => {
    const listed = await list();
    expect(one(listed, 'urlfilter-regex')).toEqual({
      id: 'urlfilter-regex',
      className: 'org.apache.nutch.urlfilter.regex.RegexURLFilter',
      description: 'The first expression that is found in the URL decides.',
      points: [{ point: 'URLFilter', order: 1 }],
      origin: 'built-in',
      active: true,
      requires: [],
    });
    for (const plugin of listed.plugins) expect(plugin.description, plugin.id).toMatch(/\.$/);
    expect(new Set(listed.plugins.map(({ id }) => id)).size).toBe(listed.plugins.length);
    expect([listed.notBuilt, listed.unknown]).toEqual([[], []]);
  });

  it('returns the file name of an external plugin, without its path', async () => {
    expect(one(await list(), 'no-drafts')).toEqual({
      id: 'no-drafts',
      className: 'test.NoDrafts',
      description: 'Drops drafts.',
      points: [{ point: 'URLFilter', order: null }],
      origin: 'no-drafts.mjs',
      active: false,
      requires: ['urlnormalizer-pass'],
    });
    expect(JSON.stringify(await list())).not.toContain(dir);
  });

  it('applies plugin.includes, plugin.excludes and the order of the configuration', async () => {
    const listed = await list({
      'plugin.includes': 'no-drafts|urlfilter-(regex|domain)|indexer-hbase|urlfilter-regexp',
      'plugin.excludes': 'urlfilter-domain',
      'urlfilter.order': 'test.NoDrafts',
    });
    expect(listed.plugins.filter(({ active }) => active).map(({ id, points }) => [id, points[0]?.order])).toEqual([
      ['urlnormalizer-pass', 1],
      ['urlfilter-regex', 2],
      ['schedule-default', 1],
      ['signature-md5', 1],
      ['no-drafts', 1],
    ]);
    expect([listed.notBuilt, listed.unknown]).toEqual([['indexer-hbase'], ['urlfilter-regexp']]);
  });

  it.each([
    ['none', 400, 'CONFIG_ID_UNKNOWN'],
    ['a b', 400, 'FIELDS_INVALID'],
  ])('returns for configuration %s %i', async (confId, status, code) => {
    const answer = await request(api.url).get('/v1/plugins').query({ confId });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('an external plugin over HTTP', () => {
  const params = { 'plugin.includes': 'protocol-http|no-drafts' };

  it('rejects a URL and is named as the deciding plugin', async () => {
    await list(params);
    const { body } = await request(api.url).post('/v1/inspect/url').send({ url: 'http://a.test/draft', confId: 'c1' });
    expect(body).toMatchObject({
      accepted: false,
      decidedBy: { plugin: 'no-drafts', rule: { number: 1, text: '-draft' } },
    });
  });

  it('has properties that are listed and validated', async () => {
    const { body } = await request(api.url).get('/v1/properties').query({ prefix: 'test.' });
    expect(body.properties).toMatchObject([{ name: 'test.drafts', kind: 'int', default: '1' }]);
    const refused = await request(api.url).put('/config/default/test.drafts').type('text/plain').send('many');
    expect([refused.status, refused.body.code]).toEqual([400, 'CONFIG_INVALID']);
  });

  it('refuses a configuration for which its factory throws', async () => {
    const refused = await request(api.url)
      .post('/config/create')
      .send({ configId: 'c2', params: { ...params, 'test.drafts': 10 } });
    expect([refused.status, refused.body.code]).toEqual([400, 'CONFIG_INVALID']);
    expect(refused.body.detail).toContain('Plugin no-drafts (makeFilter): too many drafts');
  });
});
