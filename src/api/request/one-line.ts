const MAX_LENGTH = 2_048;

/**
 * A text for the log: one line, whatever a stranger put into it (a URL, a header, an id), cut to 2 KiB. Control characters,
 * terminal escapes and Unicode's line ends are escaped as in JSON.
 */
export function oneLine(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return JSON.stringify(cut)
    .slice(1, -1)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
