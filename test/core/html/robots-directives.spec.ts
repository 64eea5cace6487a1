import { describe, expect, it } from 'vitest';
import { addDirectives, addRobotsTag, type RobotsMeta } from '../../../src/core/html/robots-directives.js';
import { HTML_OPTIONS, parseHtml } from '../../../src/core/html/parse-html.js';

const none = (): RobotsMeta => ({ noindex: false, nofollow: false, nocache: false });
const shown = ({ noindex, nofollow, nocache }: RobotsMeta) =>
  [noindex && 'noindex', nofollow && 'nofollow', nocache && 'nocache'].filter(Boolean).join(' ');
const now = Date.UTC(2025, 0, 1);

describe("directives of a robots meta element (Nutch HTMLMetaProcessor, Google's documentation)", () => {
  it.each([
    ['', ''],
    ['all', ''],
    ['index, follow', ''],
    ['none', 'noindex nofollow'],
    ['NoIndex', 'noindex'],
    ['noindex,follow', 'noindex'],
    ['noindex nofollow', 'noindex nofollow'],
    ['noindex;nofollow', 'noindex nofollow'],
    ['noarchive', 'nocache'],
    ['nocache', 'nocache'],
    ['index, noindex', 'noindex'],
    ['all, none', 'noindex nofollow'],
    ['nosnippet, max-snippet:-1, max-image-preview:large', ''],
    ['max-image-preview: none', ''],
    ['max-image-preview : none, nofollow', 'nofollow'],
    ['Max-Snippet:none noindex', 'noindex'],
    ['max-video-preview:, none', 'noindex nofollow'],
    ['noindexed, xnofollow, noodp', ''],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', 'noindex'],
    ['unavailable_after: Friday, 25-Jun-10 15:00:00 GMT', 'noindex'],
    ['unavailable_after: 2010-06-25, nofollow', 'noindex nofollow'],
    ['unavailable_after: 2030-06-25T15:00:00+01:00', ''],
    ['unavailable_after: some day', ''],
    ['unavailable_after: none', ''],
    ['unavailable_after : 2010-06-25 noarchive', 'nocache'],
    ['unavailable_after : 2010-06-25, noarchive', 'noindex nocache'],
    ['nofollow, unavailable_after:', 'nofollow'],
  ])('%j sets %j', (content, expected) => {
    const robots = none();
    addDirectives(robots, content, now);
    expect(shown(robots)).toBe(expected);
  });
});

describe("the X-Robots-Tag field (Google's documentation)", () => {
  it.each([
    ['noindex', 'noindex'],
    ['noindex, nofollow', 'noindex nofollow'],
    ['otherbot: noindex', ''],
    ['orbweaver: noindex', 'noindex'],
    ['OrbWeaver:none', 'noindex nofollow'],
    ['otherbot: noindex, nofollow', ''],
    ['otherbot: noindex\nnofollow', 'nofollow'],
    ['otherbot: noindex, orbweaver: nofollow, noarchive', 'nofollow nocache'],
    ['nofollow, otherbot: noindex', 'nofollow'],
    ['*: noindex', 'noindex'],
    ['unavailable_after: 25 Jun 2010 15:00:00 GMT', 'noindex'],
    ['otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT', ''],
    ['orbweaver: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT', 'noindex'],
    ['max-snippet: 20, noindex', 'noindex'],
    ['max-image-preview: none', ''],
    ['max-image-preview : none, nofollow', 'nofollow'],
    ['orbweaver: max-image-preview: none, nofollow', 'nofollow'],
    ['', ''],
    [':', ''],
    [',,,:,', ''],
  ])('%j sets %j', (lines, expected) => {
    const robots = none();
    addRobotsTag(robots, lines, new Set(['orbweaver', 'second-name']), now);
    expect(shown(robots)).toBe(expected);
  });

  it('ignores very long values without a directive', () => {
    const robots = none();
    addRobotsTag(robots, 'a:'.repeat(100_000), new Set(), now);
    addDirectives(robots, 'unavailable_after: '.repeat(10_000), now);
    addDirectives(robots, `max-snippet${' '.repeat(9_000)}`, now);
    expect(shown(robots)).toBe('');
  });
});

describe('robots meta elements that name one crawler', () => {
  const robots = (html: string) =>
    shown(parseHtml(html, 'http://site.example/', { ...HTML_OPTIONS, robotNames: new Set(['orbweaver']) }).robots);

  it.each([
    ['<meta name=orbweaver content=noindex>', 'noindex'],
    ['<meta name=OrbWeaver content=nofollow><meta name=robots content=noindex>', 'noindex nofollow'],
    ['<meta name=robots content=all><meta name=orbweaver content=none>', 'noindex nofollow'],
    ['<meta name=robots content=none><meta name=orbweaver content=all>', 'noindex nofollow'],
    ['<meta name=otherbot content=noindex>', ''],
    ['<meta property=robots content=noindex>', 'noindex'],
  ])('%s sets %j', (html, expected) => {
    expect(robots(html)).toBe(expected);
  });
});
