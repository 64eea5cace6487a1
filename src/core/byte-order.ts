/** The order of texts by their bytes in UTF-8: that of keys and hosts in PostgreSQL (`collate "C"`). */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
