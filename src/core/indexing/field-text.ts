/** The first `maxLength` UTF-16 units of a text, without half a character at its end; -1: all of it. */
export const wellFormedStart = (text: string, maxLength: number): string =>
  (maxLength >= 0 && text.length > maxLength
    ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
    : text
  ).toWellFormed();
