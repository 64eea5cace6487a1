import type { ServerResponse } from 'node:http';
import { nearestName } from '../../core/conf/nearest-name.js';
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

/** Maximum number of unknown names in a notice: each is compared with all known ones. */
const MAX_NAMED = 20;

/**
 * A sentence for each of the first unknown names, and the number of the others.
 * @param kind of the names: `query parameter`, `field`, `argument`
 */
export function unknownNameSentences<T>(
  kind: string,
  unknown: readonly T[],
  sentenceOf: (name: T) => string,
): string[] {
  const more = unknown.length - MAX_NAMED;
  const sentences = unknown.slice(0, MAX_NAMED).map(sentenceOf);
  return more > 0 ? [...sentences, `Further unknown ${kind}s: ${more}.`] : sentences;
}

/** The end of such a sentence: what the name may have meant. */
export function nearestHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `; the nearest is ${nearest}`;
}

/** The notices of a response so far. */
export function noticesOf(response: ServerResponse): string | undefined {
  return response.getHeader(HEADER)?.toString();
}
