import { startOf } from '../text-start.js';

/** The well-formed start of a text, at most `maxLength` UTF-16 units; -1: the whole text. */
export const wellFormedStart = (text: string, maxLength: number): string =>
  (maxLength >= 0 ? startOf(text, maxLength) : text).toWellFormed();
