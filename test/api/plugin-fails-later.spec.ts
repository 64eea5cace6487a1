/** A plugin that fails for a stored configuration: requests that use it are answered like the one that would send it now. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPlugins } from '../../src/plugin/external.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Plugins that can be made until a file exists. */
const plugins = (broken: string) => `
import { existsSync } from 'node:fs';
const check = (extension) => {
  if (existsSync(${JSON.stringify(broken)})) throw new Error('its table is gone');
  return extension;
};
const description = 'Fails later.';
export default [
  { id: 'x-normalizer', description, makeNormalizer: () => check({ normalize: (url) => url }) },
  { id: 'x-filter', description, makeFilter: () => check(() => true) },
  { id: 'x-score', description, makeSeedScore: () => check((seed, score) => score) },
  { id: 'x-parse', description, makeParseFilter: () => check(() => ({})) },
  { id: 'x-schedule', description, makeSchedule: () => check({ due: (page, now) => ({ due: true, timing: page }) }) },
];`;

let cycle: Cycle;
let api: ApiUnderTest;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  await writeFile(join(dir, 'later.mjs'), plugins(join(dir, 'broken')));
  await startPlugins(dir, () => undefined);
  cycle = await openCycle();
  await cycle.inject(['http://a.test/']);
  api = await apiUnderTest({ pluginDir: dir }, cycle.db);
  for (const id of ['x-normalizer', 'x-filter', 'x-score', 'x-parse', 'x-schedule']) {
    const schedule = id === 'x-schedule' ? { 'db.fetch.schedule.class': id } : {};
    const params = { 'http.agent.name': 'test', 'plugin.includes.also': id, ...schedule };
    await request(api.url).post('/config/create').send({ configId: id, params }).expect(200);
  }
  await writeFile(join(dir, 'broken'), '');
});
afterAll(async () => {
  await api?.close();
  await cycle?.close();
  await rm(dir, { recursive: true, force: true });
});

const url = 'http://a.test/';

it.each([
  ['/v1/inspect/url', { url, crawlId: 'k' }, 'x-normalizer (makeNormalizer)'],
  ['/v1/inspect/generate', { crawlId: 'k' }, 'x-normalizer (makeNormalizer)'],
  ['/v1/inspect/generate', { crawlId: 'k' }, 'x-filter (makeFilter)'],
  ['/v1/inspect/generate', { crawlId: 'k' }, 'x-score (makeSeedScore)'],
  ['/v1/inspect/schedule', { page: {}, outcome: { status: 'db_fetched' } }, 'x-schedule (makeSchedule)'],
  ['/v1/inspect/parse', { url, contentBase64: '', contentType: 'text/html' }, 'x-parse (makeParseFilter)'],
  ['/v1/inspect/fetch', { url }, 'x-filter (makeFilter)'],
  ['/v1/crawls', { crawlId: 'k2', seeds: [url] }, 'x-normalizer (makeNormalizer)'],
])('POST %s with %j returns 400 that names the plugin %s', async (path, body, plugin) => {
  const confId = plugin.split(' ')[0];
  const answer = await request(api.url)
    .post(path)
    .send({ confId, ...body });
  expect(answer.body).toMatchObject({ code: 'CONFIG_INVALID', detail: `Plugin ${plugin}: its table is gone` });
  expect(answer.status).toBe(400);
});
