import { Prose } from '../../bench/doc-tree/prose.mjs';

/** Pages of what the search for main content treats apart, put together by chance: the same ones for the same seed. */

const NAMES = (
  'div div div section article p p p span span a a a b i em strong code pre ul ol li li blockquote table tr td th tbody thead ' +
  'caption h1 h2 h3 h5 br br hr img figure picture video iframe object embed form fieldset input textarea select button label ' +
  'header footer aside nav main address dl dt dd font center noscript script style svg math del ins s sup small abbr template x-card link'
).split(' ');
const CLASSES = (
  'sidebar comment content article-body footer header share-tools sharedaddy byline author hidden page media meta lazy promo ' +
  'related text main widget fallback-image language-js lang-c++ ad-break pagination post entry shadow and'
).split(' ');
const ATTRIBUTES = (
  'role=navigation role=menu role=presentation role=dialog aria-modal=true aria-hidden=true hidden style=display:none ' +
  'style=visibility:hidden style=color:red rel=author itemprop=author itemprop=name itemprop="author_name" align=left border=1 ' +
  'summary=s datatable=0 colspan=3 rowspan=2 rowspan=x start=4 start=x value=7 width=3 dir=rtl title=t lang=de'
).split(' ');
const SOURCES = (
  'src=/a.png data-src=/b.jpg data-srcset="/c.png 2x" src=data:image/gif;base64,R0lGODlhAQABAAAAACw= src="//www.youtube.com/embed/x" ' +
  'alt="a_[b]" srcset=null class=lazy href=/x href=#y href="javascript:go()" href=mailto:a@b.test href="http://[" href="/(a)`b`"'
).split(' ');
const TEXTS = [
  ' ',
  '\n  ',
  '',
  'Advertisement',
  'loading...',
  '1. one',
  '- two',
  '+ three',
  '# four',
  '> five',
  '=== six',
  '~~~',
  '`code` ``more``',
  '*a* _b_ [c](d) <e> &amp;f; |g| \\h',
  '\u00a0 nbsp \u00a0',
  'one, two\u060c three\uff0c four',
  '.',
];
const VOID = new Set('br hr img input embed link'.split(' '));

export function oddPage(seed: number): string {
  const prose = new Prose(seed, 7);
  const words = prose.int(0, 3) * 6;
  const body = Array.from({ length: prose.int(1, 12) }, () => oddElement(prose, words, prose.int(1, 6))).join('');
  const title = prose.pick(['t', `${prose.sentence()} | Site`, `Site: ${prose.sentence()}`, `A » ${prose.sentence()}`]);
  const meta = prose.pick([
    '',
    '<meta name=author content=x>',
    '<meta property="og:title" content="The &amp;amp; title">',
  ]);
  return `${prose.pick(['<!doctype html>', ''])}<html><head><title>${title}</title>${meta}</head><body ${attributes(prose)}>${body}`;
}

function oddElement(prose: Prose, words: number, depth: number): string {
  const name: string = prose.pick(NAMES);
  const start = `<${name} ${attributes(prose)}>`;
  if (VOID.has(name)) return start;
  const inner = Array.from({ length: prose.int(0, 4) }, () =>
    depth > 0 && prose.chance(0.6) ? oddElement(prose, words, depth - 1) : oddText(prose, words),
  );
  const end = prose.chance(0.95) ? `</${name}>` : '';
  return `${start}${inner.join(prose.pick(['', ' ', '\n']))}${end}`;
}

function oddText(prose: Prose, words: number): string {
  if (prose.chance(0.4)) return prose.pick(TEXTS);
  return Array.from({ length: prose.int(1, 1 + words) }, () => prose.sentence()).join(prose.pick([' ', ', ', '  \n']));
}

function attributes(prose: Prose): string {
  const some: string[] = [];
  if (prose.chance(0.3)) some.push(`class="${prose.pick(CLASSES)} ${prose.pick(['', 'x', ...CLASSES])}"`);
  if (prose.chance(0.1)) some.push(`id=${prose.pick(CLASSES)}`);
  if (prose.chance(0.15)) some.push(prose.pick(ATTRIBUTES));
  if (prose.chance(0.4)) some.push(prose.pick(SOURCES));
  return some.join(' ');
}
