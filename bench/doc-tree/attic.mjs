/** Pages with unusual markup: open and misnested tags, odd attributes, bases, comments, scripts, encodings. */
import { Prose } from './prose.mjs';

/** Charsets of pages; 'utf-8-bom' and 'utf-16le' begin with a byte order mark. */
const CHARSETS = ['utf-8', 'windows-1252', 'iso-8859-1', 'utf-8-bom', 'utf-16le', 'us-ascii'];

/** Each adds one oddity to a page; `to` names another page of the folder, `n` is the number of this one. */
const ODDITIES = [
  (to) => `<A HREF=${to}>no quotes<A\nHREF = '${to}' hreflang>open`,
  (to) => `<a href="\n  ${to}\t">space around</a ><a class=x href=${to} href="second.html">twice</a>`,
  (to) => `<!-- <a href="commented.html">x</a> --><!--><a href="${to}">after an empty comment</a><!-- > -- ->-->`,
  (to) => `<![CDATA[ <a href="${to}">cdata</a> ]]><?php echo "<a href='php.html'>" ?><a href="${to}">x</a>`,
  () => `<script>var s = "</" + "script>"; if (a<b) document.write('<a href="script-1.html">');</script>`,
  () => `<script type="text/template"><a href="script-2.html">x</a><!-- <script> </script> --></script>`,
  () => `<style>a::before { content: "<a href=style.html>" }</style><title>another <a href="title.html"></title>`,
  () => `<textarea><a href="textarea.html">x</a></textarea><xmp><a href="xmp.html">x</a></xmp>`,
  () => `<template><a href="template.html">x</a><template><img src="inner.html"></template></template>`,
  (to) => `<noscript><a href="${to}">without scripts</a></noscript><iframe src="${to}"><a href="iframe.html"></iframe>`,
  (to) =>
    `<map name=m><area shape=rect coords="0,0,1,1" href="${to}" alt="area &amp; more"></map><img usemap="#m" src=i.png>`,
  (to) => `<svg viewBox="0 0 1 1"><a href="${to}"><text>svg</text></a><title>svg</title></svg><math><mi>x</mi></math>`,
  (to) => `<table><a href="${to}">before rows<tr><td><a href="${to}">cell<td><form><p></table></form>`,
  (to) => `<b><p><i>mis</b>nested</i><a href="${to}"><div>block<a href="${to}">in a link</a></div></a>`,
  (to) =>
    `<a href="${to.replace('.', '&#46;')}">&#46;</a><a href="${to}&num;part">&amp;copy;&copy&notin;&ampx;&#x80;&#0;</a>`,
  (to) => `<a href="../attic/${to}">up</a><a href="./.././attic/./${to}">dots</a><a href="..\\attic\\${to}">back</a>`,
  (to) => `<a href="//${'['}">broken</a><a href="http:${to}">scheme only</a><a href="%7E${to}">escape</a>`,
  (to) => `<p id=same><p id=same><a name=same href="#same">same</a><a href="${to}#same" id=same>same</a>`,
  (to) => `<a href="${to}" rel="nofollow noopener">no</a><a href="unseen-${to}" rel=NoFollow>never</a>`,
  (to) => `<a href="mailto:a@example.invalid">m</a><a href="javascript:void('${to}')">j</a><a href="">e</a><a>n</a>`,
  (to) => `<select><option>a<option><a href="${to}">b</select><button><a href="${to}">c</button>`,
  (to) => `</p></br><br/></div ><a/href="${to}"/>slashes</a><img/src=x.png/onerror=alert(1)><a"b href="${to}">`,
  (to) => `<a hReF="${to}"title="no space">x</a><a href='${to}'\u000Cclass>form feed</a><a =href="x" href=${to}>=</a>`,
  (to) => `<link rel=next href="${to}"><source src="${to}"><video src=v.mp4></video>`,
  () => `<ul><li>1<li>2<ul><li>3</ul><li>4</ul><dl><dt>a<dd>b<dt>c</dl><ruby>x<rt>y</ruby>`,
];
const TEXTS = ['caf\u00e9', 'na\u00efve', 'Gr\u00fc\u00dfe', '\u00a1ol\u00e9!', '\u00a9 2026'];

/** Pages of one folder, "attic", with the charset of each. @param {{ seed: number, pages: number }} size */
export function atticPages({ seed, pages }) {
  const names = Array.from({ length: pages }, (_, n) => `odd-${n}.html`);
  const list = names.map((name, n) => (n % 2 ? `<LI><A HREF=${name}>${name}` : `<li><a href='${name}'>${name}</a>`));
  return new Map([
    ['index.html', { html: `<TITLE>Attic</TITLE><UL>${list.join('\n')}`, charset: 'utf-8' }],
    ...names.map((name, n) => [name, oddPage(new Prose(seed, n), n, names)]),
  ]);
}

function oddPage(prose, n, names) {
  const charset = CHARSETS[n % CHARSETS.length];
  const first = prose.int(0, ODDITIES.length - 1);
  const odd = Array.from({ length: 6 }, (_, k) =>
    ODDITIES[(first + n + k * 7) % ODDITIES.length](prose.pick(names), n),
  );
  const accented = charset === 'us-ascii' ? 'plain' : prose.pick(TEXTS);
  const base =
    n % 5 === 0
      ? `<base target=_top><base href="${prose.pick(['./', '../attic/', 'index.html'])}"><base href="/elsewhere/">`
      : '';
  const body = odd.map(
    (markup) => `<h2>${prose.name()}</h2><p>${prose.text(prose.int(3, 30))} ${accented}\n${markup}\n`,
  );
  const end = prose.pick([
    '</body></html>',
    '</BODY>',
    '',
    '<plaintext><a href="plaintext.html">',
    '<!-- never closed <a href="x.html">',
    '<a href="cut',
  ]);
  const declared = charset.startsWith('utf-8') || charset === 'utf-16le' ? '' : `<meta charset=${charset}>`;
  return {
    html: `${n % 3 ? '<!doctype html>' : ''}${declared}${base}<title>Odd ${n}: ${prose.name()}</title>${body.join('')}${end}`,
    charset,
  };
}
