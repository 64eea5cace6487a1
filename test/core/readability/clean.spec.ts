import { describe, expect, it } from 'vitest';
import { type AttemptSteps, clean } from '../../../src/core/readability/clean.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const STRICT: AttemptSteps = { stripsUnlikely: true, weighsClasses: true, cleansConditionally: true };

function cleaned(html: string, steps: Partial<AttemptSteps> = {}): string {
  const content = parseTree(`<!doctype html><body><main>${html}</main>`).body!.firstElementChild!;
  clean(content, { ...STRICT, ...steps });
  return content.innerHTML;
}

/** Without `left` nothing changes. */
type Case = [rule: string, html: string, left?: string];
const VIDEO = 'https://www.youtube.com/embed/1';

describe('the content', () => {
  it.each<Case>([
    ['loses presentational attributes', '<p align=left style="color: red" title=t>a</p>', '<p title="t">a</p>'],
    ['loses sizes of tables and rules', '<hr width=5 height=1 size=2>', '<hr size="2">'],
    ['keeps sizes of images', '<p><img src="a.png" width="5"></p>'],
    ['keeps attributes in drawings', '<p><svg style="x"><g rules="y"></g></svg>a</p>'],
    ['has no footer and no aside', '<footer>a</footer><aside>b</aside><p>c</p>', '<p>c</p>'],
    ['has no form fields', '<p>a<button>b</button><textarea>c</textarea><select></select></p>', '<p>a</p>'],
    ['has no embedded page', '<p>a<iframe src="https://a.test/"></iframe></p>', '<p>a</p>'],
    ['has videos', `<p><iframe src="${VIDEO}"></iframe></p>`],
    ['has objects that show a video', `<p><embed src="${VIDEO}"></p>`],
    ['has no objects of others', '<p>a<object data="b.swf"></object><embed src="b.swf"></p>', '<p>a</p>'],
    ['has no elements for sharing', '<section><p class="share">a</p><p>b</p></section>', '<section><p>b</p></section>'],
    ['has no headings of other things', '<h2 class="related">a</h2><h2>b</h2>', '<h2>b</h2>'],
    ['has its first headings as second ones', '<h1 id="a">b</h1>', '<h2 id="a">b</h2>'],
    ['has no empty paragraphs', '<p> </p><p><b></b></p><p>a</p>', '<p>a</p>'],
    ['has paragraphs with an image alone', '<p><img src="a.png"></p>'],
    ['has no line break before a paragraph', 'a<br> <p>b</p>', 'a <p>b</p>'],
    ['has line breaks before text', 'a<br>b'],
    [
      'has the cell of a table of one cell',
      '<table summary="s"><tr><td>a <b>b</b></td></tr></table>',
      '<p>a <b>b</b></p>',
    ],
    [
      'has it as a division if it has blocks',
      '<table summary="s"><tr><td><p>a</p></td></tr></table>',
      '<div><p>a</p></div>',
    ],
    ['has other links', '<p><a href="/b">a</a></p>'],
    ['has the text of links that run scripts', '<p><a href="javascript:f()">a</a></p>', '<p>a</p>'],
    ['has their elements too', '<p><a href="javascript:f()">a<b>b</b></a></p>', '<p><span>a<b>b</b></span></p>'],
    ['has no division with a class of no content', '<div class="promo"><p>a</p></div><p>b</p>', '<p>b</p>'],
    ['has no form of its own', '<form><input><p>a</p></form><p>b</p>', '<p>b</p>'],
  ])('%s', (_rule, html, left = html) => expect(cleaned(html)).toBe(left));

  it.each([
    [499, ''],
    [500, `<p class="share">${'x'.repeat(500)}</p>`],
  ])('has elements for sharing from 500 characters on: %i', (length, left) =>
    expect(cleaned(`<section><p class="share">${'x'.repeat(length)}</p></section>`)).toBe(`<section>${left}</section>`),
  );

  it('keeps headings by class in an attempt that does not weigh classes', () => {
    expect(cleaned('<h2 class="related">a</h2>', { weighsClasses: false })).toBe('<h2 class="related">a</h2>');
  });

  it('keeps divisions in the attempt that does not judge them', () => {
    const html = '<div class="promo"><p>a</p></div>';
    expect(cleaned(html, { cleansConditionally: false })).toBe(html);
  });
});

describe('an image that a script would load', () => {
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

  it.each<Case>([
    ['gets its address', '<img data-src="/a.png">', '<img data-src="/a.png" src="/a.png">'],
    ['gets its addresses by width', '<img data-set="/a.png 2x">', '<img data-set="/a.png 2x" srcset="/a.png 2x">'],
    ['keeps its own', '<img src="/a.png" data-b="/b.png">'],
    [
      'does not keep it where its class says lazy',
      '<img class="lazy" src="/a.png" data-b="/b.png">',
      '<img class="lazy" src="/b.png" data-b="/b.png">',
    ],
    ['loses a small placeholder', `<img src="${pixel}" data-b="/b.png">`, '<img data-b="/b.png" src="/b.png">'],
    ['keeps an inline image without another', `<img src="${pixel}">`],
    ['keeps an inline drawing', '<img src="data:image/svg+xml;base64,AA" data-b="/b.png">'],
    ['is none by its text alone', '<img alt="/a.png">'],
    [
      'is made in a figure without one',
      '<figure data-b="/b.png"></figure>',
      '<figure data-b="/b.png"><img src="/b.png"></figure>',
    ],
  ])('%s', (_rule, html, left = html) => expect(cleaned(html)).toBe(left));
});
