/** Pages of old converters: manual pages in capitals without end tags, and books in one page with thousands of anchors. */
import { Prose, namesOf } from './prose.mjs';

/** man/, a folder a section. @param {{ seed: number, pages: number }} size of each of eight sections */
export function manPages({ seed, pages }) {
  const prose = new Prose(seed, 1);
  const sections = Array.from({ length: 8 }, (_, index) => ({
    number: index + 1,
    names: namesOf(prose, pages, 1).map((name) => name.toLowerCase()),
  }));
  const all = sections.flatMap(({ number, names }) => names.map((name) => ({ number, name })));
  const linkTo = ({ number, name }) => `<A HREF=../man${number}/${name}.${number}.html>${name}(${number})</A>`;
  const found = new Map([
    [
      'index.html',
      `<HTML><HEAD><TITLE>Manual pages</TITLE></HEAD><BODY>${sections
        .map(({ number }) => `<LI><A HREF="man${number}/index.html">Section ${number}</A>`)
        .join('\n')}</BODY></HTML>`,
    ],
  ]);
  for (const { number, names } of sections) {
    const items = names.map(
      (name) => `<DT>${linkTo({ number, name }).replace(`../man${number}/`, '')}<DD>${prose.sentence()}`,
    );
    found.set(
      `man${number}/index.html`,
      `<HTML>\n<HEAD><TITLE>Section ${number}</TITLE>\n<BODY><A HREF="..">up</A> <A HREF=../index.html>Contents</A><DL COMPACT>\n${items.join('\n')}\n</DL>`,
    );
    names.forEach((name, index) => {
      found.set(
        `man${number}/${name}.${number}.html`,
        manPage(new Prose(seed, 2, number, index), name, number, all, linkTo),
      );
    });
  }
  return found;
}

function manPage(prose, name, number, all, linkTo) {
  const flags = prose.list(
    prose.int(4, 20),
    () =>
      `<DT><B>-${prose.pick([...'abcdefgh'])}</B> <I>${prose.word()}</I><DD>\n${prose.text(2)} See ${linkTo(prose.pick(all))}.\n`,
  );
  const headings = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS'];
  return `Content-type: text/html; charset=ISO-8859-1

<HTML><HEAD><TITLE>Man page of ${name.toUpperCase()}</TITLE>
</HEAD><BODY>
<H1>${name.toUpperCase()}</H1>
Section: User Commands (${number})<BR>Updated: 2026-01-01<BR><A HREF="#index">Index</A>
<A HREF="../index.html">Return to Main Contents</A><HR>

${headings.map((heading) => `<A NAME="lb${heading}">&nbsp;</A>\n<H2>${heading}</H2>\n\n${name} - ${prose.text(3)}\n<P>\n`).join('')}
<DL COMPACT>
${flags}
</DL>
<PRE>
${name} [-a] < input > output && echo "a & b <${prose.word()}@example.invalid>"
</PRE>
<A NAME="index">&nbsp;</A><H2>Index</H2>
<DL>
${headings.map((heading) => `<DT><A HREF="#lb${heading}">${heading}</A><DD>`).join('\n')}
</DL>
<HR>
This document was created by
<A HREF="/cgi-bin/man/man2html">man2html</A>, Gr\u00fc\u00dfe.<BR>
Time: 00:00:00 GMT, January 01, 2026
</BODY>
</HTML>
`;
}

/**
 * A book in volumes, each one page.
 * @param {{ seed: number, volumes: number, anchors: number }} size of the largest; they grow
 */
export function bookPages({ seed, volumes, anchors }) {
  const names = Array.from({ length: volumes }, (_, index) => `volume-${index + 1}.html`);
  const pages = names.map((name, index) => {
    const prose = new Prose(seed, index);
    const count = Math.round((anchors * (index + 1)) / volumes);
    const contents = prose.list(count, (n) => `<li><a href="#p${n}">${prose.word()}</a>\n`);
    const paragraphs = prose.list(count, (n) => {
      const away = prose.chance(0.02) ? ` <a href="${prose.pick(names)}#p${prose.int(0, 99)}">${prose.word()}</a>` : '';
      return `<p><a name="p${n}" id="p${n}"></a><b>${n}</b> ${prose.word()} &#8220;${prose.word()}&#8221; ${prose.word()}${away}\n`;
    });
    return [
      name,
      `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Volume ${index + 1}</title><link rel="home" href="index.html"/></head><body>
<ol>${contents}</ol>\n${paragraphs}</body></html>`,
    ];
  });
  const list = names.map((name) => `<a href="./${name}">${name}</a>`).join(', ');
  return new Map([['index.html', `<!DOCTYPE html><title>Book</title><p>${list}`], ...pages]);
}
