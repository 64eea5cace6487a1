import type { Response } from 'express';

const HEADER = 'Orbweaver-Notice';
const MAX_LENGTH = 4_000;

/**
 * Says something about a request that was done all the same: an unknown property, an unknown argument. What was said before stays in front.
 * It stands in a header, because the bodies are NutchServer's; header text is ASCII, so other letters are escaped.
 */
export function notice(response: Response, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const text = sentences
    .join(' ')
    .replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const before = response.getHeader(HEADER);
  response.setHeader(HEADER, (before === undefined ? text : `${String(before)} ${text}`).slice(0, MAX_LENGTH));
}
