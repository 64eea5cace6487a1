import { jsonEscape } from '../../core/json-text.js';

const MAX_LENGTH = 2_048;

/**
 * Untrusted text (a URL, a header, an id) as one line for the log, truncated to 2,048 characters. Control characters, terminal
 * escapes and Unicode line separators are escaped as in JSON.
 */
export function oneLine(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return JSON.stringify(cut)
    .slice(1, -1)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, jsonEscape);
}
