import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../../src/core/robots/robots-file.js';
import { weightOf } from '../../../src/core/robots/robots-weight.js';

const forAll = (rules: string) => `user-agent: *\n${rules}`;

describe('the memory size of a robots.txt', () => {
  it.each([
    ['rules', 250, (i: number) => `allow:/${i}`],
    ['pieces', 700, (i: number) => `allow:/${`${i}*`.repeat(10)}`],
    ['agents', 220, (i: number) => `user-agent:a${i}`],
    ['groups', 600, (i: number) => `user-agent:x\nallow:/${i}`],
    ['delays', 50, (i: number) => `crawl-delay:${i}`],
    ['sitemaps', 40, (i: number) => `sitemap:${i}`],
  ])('includes its %s: more than %i bytes each, besides the text of the file', (_what, min, line) => {
    const weight = (lines: number) => {
      const robots = parseRobots(forAll(Array.from({ length: lines }, (_, i) => line(i)).join('\n')));
      return weightOf({ ...robots, bytes: 0 });
    };
    expect(weight(1000) - weight(500)).toBeGreaterThan(500 * min);
  });

  it('includes its text three times: in the file, in the reported line and in the pattern', () => {
    const ofLine = (length: number) => weightOf(parseRobots(forAll(`allow: /${'a'.repeat(length)}`)));
    // In the file, in the line that is reported (twice, beyond Latin-1), and in the pattern.
    expect(ofLine(3000) - ofLine(1000)).toBeGreaterThan(3 * 2000);
  });
});
