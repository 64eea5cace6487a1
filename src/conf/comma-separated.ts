/** The entries of a variable that lists them. */
export const commaSeparated = (given = ''): string[] =>
  given
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
