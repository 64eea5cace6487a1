/** External plugins run in the processes beside the API: neither a slow maker nor a filter that loops keeps the API busy. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isPlain } from '../../src/core/conf/plain-params.js';
import { startPlugins } from '../../src/plugin/external.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Plugins that say in which process they run. */
const file = `
const here = () => { throw new Error('made in process ' + process.pid + '.'); };
export default [
  { id: 'x-where', description: 'Fails.', makeFilter: here },
  { id: 'x-schedule', description: 'Fails.', makeSchedule: here },
  { id: 'x-signature', description: 'Fails.', makeSignature: here },
  { id: 'x-filter', description: 'Refuses all.', makeFilter: () => () => ({
      accepted: false, rule: { number: 1, text: 'run in process ' + process.pid + '.' } }) },
  { id: 'x-large', description: 'Takes 400 MB.', makeFilter: () => {
      globalThis.taken ??= Buffer.alloc(400 * 1024 * 1024, 1);
      return () => ({ accepted: false, rule: { number: 1, text: 'run in process ' + process.pid + '.' } }) } },
];`;

let dir: string;
let api: ApiUnderTest;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  await writeFile(join(dir, 'where.mjs'), file);
  await startPlugins(dir, () => undefined);
  api = await apiUnderTest({ pluginDir: dir });
});
afterAll(async () => {
  await api?.close();
  await rm(dir, { recursive: true, force: true });
});

/** The process that a problem names. */
const processOf = ({ body }: { body: { detail?: string } }) =>
  Number(/ in process (\d+)\./.exec(body.detail ?? '')?.[1]);
const create = (configId: string, params: object) => request(api.url).post('/config/create').send({ configId, params });
const isBeside = (pid: number) => pid > 0 && pid !== process.pid;

it.each([
  ['plugin.includes.also', 'x-where'],
  ['plugin.includes', 'x-where'],
  ['db.fetch.schedule.class', 'x-schedule'],
  ['db.signature.class', 'x-signature'],
])('a new configuration with %s is checked beside the API', async (name, value) => {
  const answer = await create('new', { [name]: value });
  expect([answer.status, isBeside(processOf(answer))]).toEqual([400, true]);
});

it('a change is checked beside the API', async () => {
  await create('changed', {}).expect(200);
  const answer = await request(api.url)
    .put('/config/changed/plugin.includes.also')
    .set('Content-Type', 'text/plain')
    .send('x-where');
  expect([answer.status, isBeside(processOf(answer))]).toEqual([400, true]);
});

it('seeds are judged beside the API when the configuration selects plugins', async () => {
  await create('filters', { 'http.agent.name': 'test', 'plugin.includes.also': 'x-filter' }).expect(200);
  const answer = await request(api.url)
    .post('/v1/crawls')
    .send({ crawlId: 'k', confId: 'filters', seeds: ['http://a.test/'] });
  expect([answer.status, isBeside(processOf(answer))]).toEqual([400, true]);
});

it('a change that names a rule file is made beside the API, too', () => {
  expect(isPlain({ 'http.agent.name': 'bot' })).toBe(true);
  expect(isPlain({ 'http.agent.name': 'bot', 'urlfilter.regex.file': 'mine.txt' })).toBe(false);
});

it('a process that has become large is ended after its answer, so that no request fails for want of memory', async () => {
  await create('large', { 'plugin.includes.also': 'x-large' }).expect(200);
  const processes: number[] = [];
  for (let n = 0; n < 4; n++) {
    const answer = await request(api.url).post('/v1/inspect/url').send({ url: 'http://a.test/', confId: 'large' });
    const { rule } = answer.body.decidedBy as { rule: { text: string } };
    processes.push(processOf({ body: { detail: rule.text } }));
  }
  expect(processes.every(isBeside)).toBe(true);
  expect(new Set(processes).size).toBeGreaterThan(1);
});
