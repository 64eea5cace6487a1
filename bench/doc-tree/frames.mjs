/** An API reference in the style of old Javadoc: frames, tables for layout, tags in capitals, windows-1252. */
import { Prose, namesOf } from './prose.mjs';
import { relativeTo } from './manual.mjs';

/** Pages by path. @param {{ seed: number, packages: number, classes: number }} size */
export function framedPages({ seed, packages, classes }) {
  const prose = new Prose(seed, 1);
  const all = namesOf(prose, packages, 1).map((name) => ({
    folder: `org/${name.toLowerCase()}`,
    classes: namesOf(prose, classes, 3),
  }));
  const types = all.flatMap(({ folder, classes: names }) => names.map((name) => `${folder}/${name}.html`));
  const pages = new Map([
    ['index.html', frameset],
    [
      'overview-summary.html',
      html(
        'Overview',
        bar('overview-summary.html') +
          tableOf(
            prose,
            all.map(({ folder }) => `${folder}/package-summary.html`),
          ),
      ),
    ],
    [
      'overview-frame.html',
      html(
        'Packages',
        linesOf(
          'overview-frame.html',
          all.map(({ folder }) => `${folder}/package-frame.html`),
          'packageFrame',
        ),
      ),
    ],
    ['allclasses-frame.html', html('All Classes', linesOf('allclasses-frame.html', types, 'classFrame'))],
    [
      'help-doc.html',
      html('API Help', `${bar('help-doc.html')}<H1>How This API Document Is Organized</H1><P>${prose.text(40)}`),
    ],
  ]);
  for (const { folder, classes: names } of all) {
    const own = names.map((name) => `${folder}/${name}.html`);
    const [summary, list] = [`${folder}/package-summary.html`, `${folder}/package-frame.html`];
    pages.set(
      summary,
      html(
        folder,
        bar(summary) +
          tableOf(
            prose,
            own.map((path) => relativeTo(summary, path)),
          ),
      ),
    );
    pages.set(list, html(folder, linesOf(list, own, 'classFrame')));
    own.forEach((path, index) =>
      pages.set(path, html(path, typeBody(new Prose(seed, 2, types.indexOf(path)), path, own, index, types))),
    );
  }
  return pages;
}

const frameset = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Frameset//EN" "http://www.w3.org/TR/html4/frameset.dtd">
<!--NewPage-->
<HTML>
<HEAD>
<TITLE>
Reference (Standard Edition)
</TITLE>
<SCRIPT type="text/javascript">
    targetPage = "" + window.location.search;
    if (targetPage != "" && targetPage.indexOf("</") < 0) document.write("<A HREF='frame-of-script.html'>");
</SCRIPT>
</HEAD>
<FRAMESET cols="20%,80%" title="" onLoad="top.loadFrames()">
<FRAMESET rows="30%,70%" title="">
<FRAME src="overview-frame.html" name="packageListFrame" title="All Packages">
<FRAME src="allclasses-frame.html" name="packageFrame" title="All classes and interfaces">
</FRAMESET>
<FRAME src="overview-summary.html" name="classFrame" title="Package, class and interface descriptions" scrolling="yes">
<NOFRAMES>
<H2>Frame Alert</H2>
<P>This document is designed to be viewed using the frames feature.
Link to<A HREF="no-frames.html">Non-frame version.</A>
</NOFRAMES>
</FRAMESET>
</HTML>
`;

const html = (title, body) => `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<!--NewPage-->
<HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">
<TITLE>${title} (Reference)</TITLE>
<LINK REL ="stylesheet" TYPE="text/css" HREF="stylesheet.css" TITLE="Style"><NOSCRIPT>
</NOSCRIPT></HEAD><BODY BGCOLOR="white" onload="windowTitle();"><HR>
${body}
<HR><FONT SIZE=-1>© caf\u00e9 na\u00efve</FONT>
</BODY></HTML>
`;

const bar = (path) => {
  const to = (other) => relativeTo(path, other);
  return `<A NAME="navbar_top"><!-- --></A>
<A HREF="#skip-navbar_top" title="Skip navigation links"></A>
<TABLE BORDER="0" WIDTH="100%" CELLPADDING="1" CELLSPACING="0" SUMMARY=""><TR>
<TD COLSPAN=2 BGCOLOR="#EEEEFF" CLASS="NavBarCell1"><A NAME="navbar_top_firstrow"><!-- --></A>
<TABLE BORDER="0" CELLPADDING="0" CELLSPACING="3" SUMMARY="">
  <TR ALIGN="center" VALIGN="top">
  <TD BGCOLOR="#EEEEFF">    <A HREF="${to('overview-summary.html')}"><FONT CLASS="NavBarFont1"><B>Overview</B></FONT></A>&nbsp;</TD>
  <TD BGCOLOR="#EEEEFF">    <A HREF='${to('help-doc.html')}'><B>Help</B></A>&nbsp;
  <TD><A HREF="${to('index.html')}?${path}" TARGET=_top>FRAMES</A>
  </TR></TABLE></TD></TR></TABLE>
<A NAME="skip-navbar_top"></A>`;
};

const linesOf = (from, paths, target) =>
  `<TABLE BORDER="0" WIDTH="100%"><TR><TD NOWRAP><FONT CLASS="FrameItemFont">${paths
    .map(
      (path) =>
        `<A HREF="${relativeTo(from, path)}" title="class" target="${target}">${path.replace('.html', '')}</A>\n<BR>`,
    )
    .join('\n')}</FONT></TD></TR></TABLE>`;

const tableOf = (prose, references) =>
  `<TABLE BORDER="1" CELLPADDING="3" CELLSPACING="0">${references
    .map(
      (reference) =>
        `\n<TR BGCOLOR=white CLASS=TableRowColor>\n<TD WIDTH="15%"><B><A HREF="${reference}">${reference}</A></B>\n<TD>${prose.sentence()}&nbsp;`,
    )
    .join('')}</TABLE>\n&nbsp;<P>`;

function typeBody(prose, path, own, index, types) {
  const to = (other) => relativeTo(path, other);
  const before = own[index - 1] ? `<A HREF="${to(own[index - 1])}"><B>PREV CLASS</B></A>` : 'PREV CLASS';
  const after = own[index + 1] ? `<A HREF="${to(own[index + 1])}"><B>NEXT CLASS</B></A>` : 'NEXT CLASS';
  const methods = prose.list(prose.int(8, 20), (n) => {
    const type = prose.pick(types);
    return `<A NAME="m${n}(java.lang.String[])"><!-- --></A><H3>
m${n}</H3>
<PRE>
public <A HREF="${to(type)}" title="class in ${type}">${type}</A> <B>m${n}</B>(java.lang.String[]&nbsp;${prose.word()})
           throws java.io.IOException</PRE>
<DL>
<DD>${prose.text(2)}
<P>
<DD><DL>
<DT><B>See Also:</B><DD><A HREF="${to(type)}#m${n % 5}(java.lang.String[])"><CODE>m(String&lt;T&gt;)</CODE></A></DL>
</DD>
</DL>
<HR>
`;
  });
  return `${bar(path)}&nbsp;${before}&nbsp;${after}\n<H2>\n<FONT SIZE="-1">\norg</FONT>\n<BR>\nClass ${path}</H2>\n${methods}`;
}
