/** The lines of a text, without line ends: CR LF, CR or LF. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);
