import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/core/readability/prepare.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

function prepared(body: string): string {
  const document = parseTree(`<!doctype html><body>${body}`);
  prepare(document);
  return document.body!.innerHTML;
}

/** Without `left` nothing changes. */
type Case = [rule: string, html: string, left?: string];

describe('a page that is prepared', () => {
  it.each<Case>([
    ['has no scripts and styles', 'a<script>b</script><style>c</style>', 'a'],
    ['has no noscript', 'a<noscript>b</noscript>', 'a'],
    ['has no images without a source', 'a<img alt=b>', 'a'],
    ['has images whose source a script would set', '<img data-x="/b.png">'],
    ['has images with any source', '<img src="/b">'],
    ['has font elements as spans', '<font size="2">a</font>', '<span size="2">a</span>'],
    ['has one line break', 'a<br>b'],
    ['has the text after two as a paragraph', 'a<br><br>b <i>c</i>', 'a<p>b <i>c</i></p>'],
    ['has them with white space between', 'a<br> <br>\n<br>b', 'a<p> \nb</p>'],
    ['has a single one in such a paragraph', 'a<br><br>b<br>c', 'a<p>b<br>c</p>'],
    ['has the next paragraph after two more', 'a<br><br>b<br><br>c', 'a<p>b</p><p>c</p>'],
    ['has no block in such a paragraph', 'a<br><br>b<ul></ul>c', 'a<p>b</p><ul></ul>c'],
    ['has such a paragraph in a division', '<p>a<br><br>b</p>', '<div>a<p>b</p></div>'],
    [
      'has the image of a noscript for its placeholder',
      '<img src="data:,x"><noscript><img src="/a.png"></noscript>',
      '<img src="/a.png" data-old-src="data:,x">',
    ],
    [
      'has the one before a noscript with more than an image',
      '<img src="/b.png"><noscript><img src="/a.png">text</noscript>',
      '<img src="/b.png">',
    ],
  ])('%s', (_rule, html, left = html) => expect(prepared(html)).toBe(left));
});
