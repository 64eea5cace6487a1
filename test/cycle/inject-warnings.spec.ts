import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { counter, counters, expectConsistent } from './table.js';

/** What INJECT warns of in the lines of a seed list (docs/semantics/inject.md). Each case has its own crawl id. */

let cycle: Cycle;

beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

const inject = (crawlId: string, lines: string[]) => cycle.inject(lines, {}, { crawlId });

describe('INJECT of lines', () => {
  it.each([
    ['no line', []],
    ['comments and blank lines alone', ['# http://a.test/', '', '  ']],
  ])('a list with %s is named by a warning', async (_, lines) => {
    const job = await inject('none', lines);
    expect(counter(job, 'injector', 'urls_injected')).toBe(0);
    expect(job.result?.warnings).toEqual([expect.stringMatching(/^seed list ".+" has no URL$/)]);
  });

  it('that no page can have are named by warnings with the reason', async () => {
    const long = `http://a.test/${'x'.repeat(2_500)}`;
    const lines = ['localhost:8080/\tk=v', 'http://a.test/ok', 'htp://a.test/', long, 'HTTP://a.test/2'];
    const job = await inject('unusable', lines);
    expect(counters(job, 'injector')).toEqual({ urls_filtered: 3, urls_injected: 2 });
    expect(job.result?.warnings).toEqual([
      'seed line "localhost:8080/\tk=v" has a scheme that is not crawled: only http and https are; the same applies to 1 more line',
      `seed line "${long.slice(0, 300)}" is too long: its row key has more than 2000 bytes`,
    ]);
  });

  it('that filters refuse are named by a warning, with the rule that refuses the first', async () => {
    const lines = ['http://a.test/?q=1', 'http://a.test/ok', 'http://a.test/b.gif'];
    const job = await inject('refused', lines);
    expect(counters(job, 'injector')).toEqual({ urls_filtered: 2, urls_injected: 1 });
    expect(job.result?.warnings).toEqual([
      expect.stringMatching(
        /^seed "http:\/\/a\.test\/\?q=1" is refused by urlfilter-regex, rule \d+: -\[\?\*!@=\]; URL filters refuse 1 more$/,
      ),
    ]);
  });

  it('warns of a blank instead of a TAB before a key and quotes the line', async () => {
    const lines = ['http://a.test/ nutch.score=10', 'http://b.test/\tkey=a b=c', '# x y=z', 'http://c.test/xy'];
    const job = await inject('blank', lines);
    const warnings = await cycle.db.query(`select data from job_event where kind = 'warning' and job = $1`, [job.id]);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).toContain('a blank where a TAB belongs');
    expect(warnings[0]!['data']).toMatchObject({ lines: [lines[0]] });
  });

  it('warns of any other blank in a URL, such as that between two, and quotes the line', async () => {
    const lines = ['http://a.test/ http://b.test/', 'http://b.test/\tkey=a b', '# x y', 'http://c.test/'];
    const { result } = await inject('two-urls', lines);
    expect(result?.warnings).toEqual([
      `seed line "${lines[0]}" has a blank in its URL, which is read as part of it: a line has one URL`,
    ]);
  });

  it('warns of invalid values of reserved keys, which it ignores, and names them', async () => {
    const lines = ['http://a.test/\tk=v\tnutch.status=fetched\tnutch.score=high', 'http://b.test/\tnutch.score=2'];
    const job = await inject('ignored', lines);
    const warnings = await cycle.db.query(`select data from job_event where kind = 'warning' and job = $1`, [job.id]);
    expect(warnings.map(({ data }) => data)).toMatchObject([
      {
        lines: [lines[0]],
        message: expect.stringMatching(/is not valid and is ignored: nutch\.status=fetched, nutch\.score=high$/),
      },
    ]);
  });
});
