/**
 * Plain text: its words, and the URLs in it.
 *
 * Only a text with a scheme counts as a URL (`www.example.com` does not, as in Nutch's parse-text), without the punctuation of
 * the sentence around it, of any script.
 */
import { resolveUrl } from '../url/resolve.js';
import { CollapsedText, collect } from './collapsed-text.js';
import type { FoundLink } from './link-collector.js';

const URL_START = /\b(?:https?|ftp):\/\//gi;
/** Characters that end a URL, with the quotes and the East Asian punctuation of texts; a bracket ends it only sometimes. */
const URL_END =
  /[\s\p{Cc}<>"`{}|\\^[\]\u00ab\u00bb\u201c-\u201f\u2039\u203a\u3001\u3002\u3008-\u3011\u3014-\u301b\uff08\uff09\uff0c\uff1b\uff3b\uff3d\uff5b\uff5d\uff5f-\uff64]/gu;
const NEXT_URL = /,(?=(?:https?|ftp):\/\/)/i;
const MAX_URL_LENGTH = 4096;
/** Also of Arabic, Urdu, Hindi, Amharic, Chinese and Japanese. */
const SENTENCE_END = new Set(
  '.,;:!?\'"*_~\u060c\u061b\u061f\u06d4\u0964\u0965\u1362\u1363\u2018\u2019\u200b\u2026\uff01\uff0e\uff1a\uff1f'.split(
    '',
  ),
);

/** URLs of http, https and ftp in a text, absolute, in order, with duplicates, at most `maxLinks`. Linear time. */
export function linksInText(text: string, maxLinks: number): FoundLink[] {
  const links: FoundLink[] = [];
  for (const written of urlsIn(text)) {
    if (links.length >= maxLinks) break;
    if (written.length > MAX_URL_LENGTH) continue;
    const url = resolveUrl(withoutSentence(written), '');
    if (url !== null) links.push({ url, anchor: '' });
  }
  return links;
}

function* urlsIn(text: string): Generator<string> {
  const start = new RegExp(URL_START);
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const end = endOfUrl(text, start.lastIndex);
    yield* text.slice(match.index, end).split(NEXT_URL);
    start.lastIndex = end;
  }
}

/** Brackets belong to the URL (`f[0]=red`, IPv6), except those of Markdown: `](`, and a closing one without an opening one. */
function endOfUrl(text: string, from: number): number {
  URL_END.lastIndex = from;
  let open = 0;
  for (let match = URL_END.exec(text); match !== null; match = URL_END.exec(text)) {
    if (match[0] === '[') open++;
    else if (match[0] === ']' && open > 0 && text[URL_END.lastIndex] !== '(') open--;
    else return match.index;
  }
  return text.length;
}

/** Removes punctuation at the end, and closing parentheses without an opening one. */
function withoutSentence(url: string): string {
  let end = url.length;
  let stray = url.split(')').length - url.split('(').length;
  while (end > 0) {
    const last = url.charAt(end - 1);
    const isStray = last === ')' && stray > 0;
    if (!isStray && !SENTENCE_END.has(last)) break;
    if (isStray) stray--;
    end--;
  }
  return url.slice(0, end);
}

/** The text with collapsed white space, with its lines, at most `maxText` UTF-16 units. */
export function plainText(text: string, maxText: number): string {
  const collapsedText = new CollapsedText(maxText);
  for (const line of text.toWellFormed().split(/[\r\n]+/)) {
    collect(line, [collapsedText]);
    if (collapsedText.full) break;
    collapsedText.line();
  }
  return collapsedText.toString();
}
