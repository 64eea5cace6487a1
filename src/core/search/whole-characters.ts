/** The end of a slice that does not split a surrogate pair: the given one, or one less. */
export function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  const isFirstHalf = unit >= 0xd800 && unit <= 0xdbff;
  return isFirstHalf && end < text.length ? end - 1 : end;
}
