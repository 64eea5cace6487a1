/**
 * Plain text: its words, and the URLs written in it.
 *
 * Only what carries a scheme counts as a URL (`www.example.com` alone does not, as in Nutch's parse-text), and the
 * punctuation of the sentence around it does not belong to it.
 */
import { resolveUrl } from '../url/resolve.js';
import { SqueezedText, collect } from './squeezed-text.js';
import type { FoundLink } from './link-collector.js';

/** Brackets are those of Markdown around a URL, save those of an IPv6 address. */
const URLS_IN_TEXT = /\b(?:https?|ftp):\/\/(?:\[[\da-f:.]{2,45}\])?[^\s\p{Cc}<>"`{}|\\^[\]]*/giu;
const NEXT_URL = /,(?=(?:https?|ftp):\/\/)/i;
const LONGEST_URL = 4096;
const SENTENCE_END = new Set('.,;:!?\'"*_~'.split(''));

/** URLs of http, https and ftp in a text, absolute, in order, duplicates kept, at most `maxLinks`. Linear time. */
export function linksInText(text: string, maxLinks: number): FoundLink[] {
  const links: FoundLink[] = [];
  for (const [urls] of text.matchAll(URLS_IN_TEXT)) {
    for (const written of urls.split(NEXT_URL)) {
      if (links.length >= maxLinks) return links;
      if (written.length > LONGEST_URL) continue;
      const url = resolveUrl(withoutSentence(written), '');
      if (url !== null) links.push({ url, anchor: '' });
    }
  }
  return links;
}

/** Takes off the punctuation at the end, and a closing parenthesis that nothing in the URL opened. */
function withoutSentence(url: string): string {
  let end = url.length;
  while (end > 0) {
    const last = url.charAt(end - 1);
    const stray = last === ')' && !url.includes('(');
    if (!stray && !SENTENCE_END.has(last)) break;
    end--;
  }
  return url.slice(0, end);
}

/** The text with its white space squeezed, lines kept, at most `maxText` UTF-16 units. */
export function textOf(text: string, maxText: number): string {
  const squeezedText = new SqueezedText(maxText);
  for (const line of text.toWellFormed().split(/[\r\n]+/)) {
    collect(line, [squeezedText]);
    if (squeezedText.full) break;
    squeezedText.line();
  }
  return squeezedText.toString();
}
