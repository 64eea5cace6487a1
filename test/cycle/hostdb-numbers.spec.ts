import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const conf = {
  'hostdb.check.new': 'false',
  'hostdb.check.known': 'false',
  'hostdb.check.failed': 'false',
  'hostdb.numeric.fields': 'size',
  'hostdb.percentiles': '0,100',
};

/** What HOSTDB stores of the field `size` of one page with this value. */
async function sizeOf(value: string, crawlId: string): Promise<unknown> {
  await cycle.inject(['http://a.test/'], {}, { crawlId });
  await cycle.db.query(`update webpage w set metadata = $2::jsonb from crawl c where c.id = w.crawl and c.name = $1`, [
    crawlId,
    `{"size":${value}}`,
  ]);
  await cycle.run('HOSTDB', {}, { crawlId, conf });
  const [host] = await cycle.db.query<{ hostdb: { numbers?: { size: unknown } } }>(
    `select hostdb from host h join crawl c on c.id = h.crawl where c.name = $1`,
    [crawlId],
  );
  return host!.hostdb.numbers?.size;
}

describe('hostdb.numeric.fields', () => {
  it.each([
    ['0.3333333333333333', 1 / 3],
    ['"0.12345678901234568"', 0.12345678901234568],
    ['"1.5e-99"', 1.5e-99],
    ['"12345678901234567168"', 12345678901234567168],
    ['"9999999999999999999999999999999999999999e99"', 1e139],
    ['".0000000000000000000000000000000000000001e-99"', 1e-139],
    ['".5"', 0.5],
    ['"5."', 5],
    ['" -1E+3 "', -1000],
  ])('count %s as a number', async (value, number) => {
    expect(await sizeOf(value, `number${value.replaceAll(/\W/g, '-')}`)).toEqual({
      count: 1,
      min: number,
      max: number,
      sum: number,
      avg: number,
      percentiles: { '0': number, '100': number },
    });
  });

  it.each([
    '""',
    '" "',
    '"."',
    '"-"',
    '"e5"',
    '"1 2"',
    '"1e400"',
    '"NaN"',
    '"Infinity"',
    '"0x1F"',
    'true',
    'null',
    '{}',
  ])('leave out %s', async (value) => {
    expect(await sizeOf(value, `other${Buffer.from(value).toString('hex')}`)).toBeUndefined();
  });
});
