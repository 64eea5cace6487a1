import { setImmediate as nextTurn } from 'node:timers/promises';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgeSeeds } from '../../src/api/crawl/judge-seeds.js';
import { parseConf } from '../../src/core/conf/properties.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
});
afterAll(() => api?.close());

it('judgeSeeds yields to the event loop while it checks many seeds', async () => {
  const seeds = Array.from({ length: 20_500 }, (_, n) => `${n % 2 === 0 ? 'http' : 'ftp'}://a.test/${n}`);
  let judging = true;
  const judged = Promise.resolve(judgeSeeds(seeds, parseConf({}).conf, (at) => `seeds[${at}]`)).finally(
    () => (judging = false),
  );
  let turns = 0;
  for (; judging; turns++) await nextTurn();
  const { accepted, lines, refused } = await judged;
  expect([accepted, lines.length, refused.length]).toEqual([10_250, 20_500, 10_250]);
  expect(refused.at(-1)?.field).toBe('seeds[20499]');
  expect(turns).toBeGreaterThanOrEqual(20);
});

it('judgeSeeds reports lines with a space where a TAB belongs, also if they are valid URLs', async () => {
  const { conf } = parseConf({ 'urlfilter.regex.rules': '+.' });
  const seeds = ['http://a.test/ nutch.score=10', 'http://b.test nutch.score=10', 'http://c.test/\tkey=a b=c'];
  const { accepted, refused, doubtful } = await judgeSeeds(seeds, conf, (at) => `seeds[${at}]`);
  expect([accepted, doubtful.map(({ field }) => field), refused.map(({ field }) => field)]).toEqual([
    2,
    ['seeds[0]'],
    ['seeds[1]'],
  ]);
  for (const { message } of [...doubtful, ...refused]) expect(message).toContain('a blank where a TAB belongs');
});

it.each([
  ['of 1,000 lines is refused', 1_000, 400, 'SEEDS_REFUSED'],
  ['of more is accepted, as INJECT judges the other lines', 1_001, 200, undefined],
])('a stored list whose first 1,000 lines are refused %s', async (_, lines, status, code) => {
  const seedUrls = Array.from({ length: lines }, (__, n) => ({ url: `ftp://a.test/${n}` }));
  await request(api.url)
    .post('/seed/create')
    .send({ name: `refused-${lines}`, seedUrls })
    .expect(200);
  const answer = await request(api.url)
    .post('/v1/crawls')
    .send({ crawlId: `refused-${lines}`, seedName: `refused-${lines}` });
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});
