/** The first `maxLength` UTF-16 units of a text, without splitting a surrogate pair; -1: the whole text. */
export const wellFormedStart = (text: string, maxLength: number): string =>
  (maxLength >= 0 && text.length > maxLength
    ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
    : text
  ).toWellFormed();
