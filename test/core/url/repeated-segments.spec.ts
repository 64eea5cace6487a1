import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALTERNATING_SEGMENTS_RULE,
  hasAlternatingSegments,
  hasRecurringSegments,
  RECURRING_SEGMENTS_RULE,
} from '../../../src/core/url/repeated-segments.js';

/** Few letters and many slashes, so that repeats are likely; short, as the reference backtracks. */
const path = fc.stringMatching(/^[ab/]{0,24}$/);
const segments = fc
  .array(fc.constantFrom('a', 'b', 'aa', ''), { maxLength: 14 })
  .map((each) => `http://x/${each.join('/')}/`);

describe('repeated segments of a path (Nutch regex-urlfilter.txt, the rule against loops)', () => {
  it.each([
    ['alternating', hasAlternatingSegments, new RegExp(ALTERNATING_SEGMENTS_RULE)],
    ['recurring', hasRecurringSegments, new RegExp(RECURRING_SEGMENTS_RULE)],
    ['alternating, found anywhere', hasAlternatingSegments, new RegExp(ALTERNATING_SEGMENTS_RULE.slice(2))],
    ['recurring, found anywhere', hasRecurringSegments, new RegExp(RECURRING_SEGMENTS_RULE.slice(2))],
  ] as const)('%s: the native test agrees with the expression that Nutch ships', (_, native, expression) => {
    fc.assert(
      fc.property(fc.oneof(path, segments), (url) => {
        expect(native(url)).toBe(expression.test(url));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['http://a.com/x/y/x/z/x/', true],
    ['http://a.com/x/y/x/z/x', false],
    ['http://a.com/x/x/x/x/x/', true],
    ['http://a.com/x/y/z/', false],
  ])('%s alternates: %s', (url, found) => {
    expect(hasAlternatingSegments(url)).toBe(found);
  });
});
