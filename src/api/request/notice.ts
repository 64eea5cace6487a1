import type { ServerResponse } from 'node:http';
import { jsonEscape } from '../../core/json-text.js';

const HEADER = 'Orbweaver-Notice';
const MAX_LENGTH = 4_000;

/**
 * Adds a notice about a request that succeeds nevertheless: an unknown property, an unknown argument. Earlier notices stay first.
 * It is a header, because the bodies are NutchServer's; header text is ASCII, so other characters are escaped. If the request is
 * refused, its problem repeats the notice: an unknown field may be the reason.
 */
export function notice(response: ServerResponse, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const text = sentences.join(' ').replaceAll(/[^\x20-\x7e]/g, jsonEscape);
  const before = response.getHeader(HEADER);
  response.setHeader(HEADER, (before === undefined ? text : `${String(before)} ${text}`).slice(0, MAX_LENGTH));
}

/** The notices of a response so far. */
export function noticesOf(response: ServerResponse): string | undefined {
  return response.getHeader(HEADER)?.toString();
}
