import { describe, expect, it } from 'vitest';
import { HTML_OPTIONS, parseHtml } from '../../../src/core/html/parse-html.js';

const links = (html: string, nofollowLinks: boolean) =>
  parseHtml(html, 'http://site.example/dir/page.html', { ...HTML_OPTIONS, nofollowLinks }).links;

describe('links that a page asks not to follow (rel=nofollow, robots nofollow)', () => {
  const html = '<a rel=nofollow href=/a>a</a><a href=/b>b</a><img src=/i><a rel="nofollow" href=/b>again</a>';

  it('are returned and marked with nofollowLinks', () => {
    expect(links(html, true).map(({ url, nofollow }) => [new URL(url).pathname, nofollow])).toEqual([
      ['/a', true],
      ['/b', undefined],
      ['/i', undefined],
      ['/b', true],
    ]);
    expect(links(html, false).map(({ url }) => new URL(url).pathname)).toEqual(['/b', '/i']);
  });

  it('are all links of a page with robots nofollow', () => {
    const found = links(`<meta name=robots content=nofollow>${html}`, true);
    expect(found.map(({ nofollow }) => nofollow)).toEqual([true, true, true, true]);
  });
});
