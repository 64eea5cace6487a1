import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { judgeSeeds } from '../../src/api/crawl/judge-seeds.js';
import { parseConf } from '../../src/core/conf/properties.js';

it('judgeSeeds yields to the event loop while it checks many seeds', async () => {
  const seeds = Array.from({ length: 20_500 }, (_, n) => `${n % 2 === 0 ? 'http' : 'ftp'}://a.test/${n}`);
  let judging = true;
  const judged = Promise.resolve(judgeSeeds(seeds, parseConf({}).conf, 'seeds')).finally(() => (judging = false));
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
  const { accepted, refused, doubtful } = await judgeSeeds(seeds, conf, 'seeds');
  expect([accepted, doubtful.map(({ field }) => field), refused.map(({ field }) => field)]).toEqual([
    2,
    ['seeds[0]'],
    ['seeds[1]'],
  ]);
  for (const { message } of [...doubtful, ...refused]) expect(message).toContain('a blank where a TAB belongs');
});
