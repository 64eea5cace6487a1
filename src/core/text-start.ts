/** The start of a text that does not split a character: lengths are in UTF-16 units, of which some characters have two. */

/** The end of a slice that does not split a surrogate pair: the given one, or one less. */
export function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  const isFirstHalf = unit >= 0xd800 && unit <= 0xdbff;
  return isFirstHalf && end < text.length ? end - 1 : end;
}

/** At most the first `maxLength` units of a text. */
export const startOf = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, wholeEnd(text, maxLength));
