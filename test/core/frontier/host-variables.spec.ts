import { describe, expect, it } from 'vitest';
import { ExpressionError } from '../../../src/core/frontier/expression-tokens.js';
import { type HostRecord, compileHostNumber } from '../../../src/core/frontier/host-variables.js';

/** `generate.max.count.expr` and `generate.fetch.delay.expr` of Nutch 1.x. */

const host: HostRecord = {
  host: 'www.site.test',
  domain: 'site.test',
  homepage: null,
  dnsFailures: 1,
  failures: 2,
  counts: { 1: 500, 2: 40, 3: 10, 34: 1 },
  hostdb: {
    overdue: 7,
    numbers: { _rs_: { min: 10, max: 900, avg: 120.5, sum: 4820, count: 40, percentiles: { '95': 600 } } },
  },
};

describe('a numeric host expression', () => {
  it.each<[string, number]>([
    ['100', 100],
    ['unfetched', 500],
    ['unfetched + fetched + gone + retry', 551],
    ['numRecords', 551],
    ['dnsFailures + connectionFailures', 3],
    ['overdue', 7],
    ['inlinks', 0],
    ['pct95._rs_ * 2', 1200],
    ['max._rs_ - min._rs_', 890],
    ['avg.unknown', 0],
    ['gone > fetched / 10 ? 5 : 50', 5],
    ["domain == 'site.test' && fetched > 10 ? (gone > 100 ? 1 : 2) : 3", 2],
    ["homepage == '' ? 1 : 2", 1],
    ['fetched gt 100 ? 1000 : fetched gt 30 ? 100 : 10', 100],
  ])('%s evaluates to %d', (source, value) => {
    expect(compileHostNumber(source)(host)).toBe(value);
  });

  it.each<[string, number, string]>([
    ['', 1, 'something is missing'],
    ['unfetched > 10', 11, '; a number is required'],
    ['homepage', 1, 'this is a text'],
    ['score', 1, 'score is not known'],
    ['conf.getInt', 1, 'conf.getInt is not known'],
    ['fetched > 1 ? 2', 16, 'a : is missing'],
    ["fetched > 1 ? 2 : 'x'", 19, '; a number is required'],
    ['fetched ? 1 : 2', 1, '; a boolean is required'],
  ])('%j is refused at position %i', (source, position, reason) => {
    const refused = (): unknown => compileHostNumber(source);
    expect(refused).toThrow(ExpressionError);
    expect(refused).toThrow(`position ${position}: `);
    expect(refused).toThrow(reason);
  });
});
