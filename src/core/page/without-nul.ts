/** Text without characters that PostgreSQL refuses: NUL is deleted, lone surrogates are replaced. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '').toWellFormed();
