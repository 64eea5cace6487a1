import type { Response } from 'express';

const HEADER = 'Orbweaver-Notice';
const MAX_LENGTH = 4_000;

/**
 * Adds a notice about a request that succeeded nevertheless: an unknown property, an unknown argument. Earlier notices stay first.
 * It is a header, because the bodies are NutchServer's; header text is ASCII, so other characters are escaped.
 */
export function notice(response: Response, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const text = sentences
    .join(' ')
    .replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const before = response.getHeader(HEADER);
  response.setHeader(HEADER, (before === undefined ? text : `${String(before)} ${text}`).slice(0, MAX_LENGTH));
}
