/** Elements whose content is text, and the end of that text (HTML Living Standard, 13.2.5.2 to 13.2.5.31). */

/** `title` and `textarea` contain entities, the others do not; `plaintext` never ends. */
export const RAW_TEXT: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp'.split(' '),
);

/** The end of the content of `tag` that begins at `from`: its end tag, or the end of the document. Linear. */
export function endOfRawText(html: string, tag: string, from: number): number {
  if (tag === 'plaintext') return html.length;
  const end = endTag(html, tag, from);
  if (tag !== 'script') return end;
  // Searches the script only: each of many scripts would search the rest of the document.
  const comment = html.slice(from, end).indexOf('<!--');
  return comment < 0 ? end : endOfScript(html, from + comment);
}

function endTag(html: string, tag: string, from: number): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + tag.length;
    if (ENDS_NAME.test(html.charAt(nameEnd)) && html.slice(at + 2, nameEnd).toLowerCase() === tag) return at;
  }
  return html.length;
}

const ENDS_NAME = /[\t\n\f\r />]/;

/**
 * The end of a script that contains `<!--`: until `-->`, a `<script>` inside it has its own end tag (the escaped and double
 * escaped states).
 */
function endOfScript(html: string, from: number): number {
  const delimiters = /<!--|-->|<(\/?)script(?=[\t\n\f\r />])/gi;
  delimiters.lastIndex = from;
  let escaped = false;
  let inner = false;
  for (let delimiter = delimiters.exec(html); delimiter !== null; delimiter = delimiters.exec(html)) {
    if (delimiter[0] === '<!--') {
      escaped = true;
      // The same dashes can be part of `-->`.
      delimiters.lastIndex -= 2;
    } else if (delimiter[0] === '-->') escaped = inner = false;
    else if (delimiter[1] === '') inner = escaped;
    else if (!inner) return delimiter.index;
    else inner = false;
  }
  return html.length;
}
