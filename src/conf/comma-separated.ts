/** The entries of a variable that lists them. */
export const commaSeparated = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
