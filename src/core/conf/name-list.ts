/** The names of a text that white space separates. */
export const namesIn = (text: string): string[] => text.split(/\s+/).filter((name) => name !== '');
