/**
 * How times are read. JavaScript represents neither 'infinity' nor years after 275760, which may be set by hand; they are read
 * as the last time that it represents, and '-infinity' as the start of the year in which PostgreSQL's calendar begins.
 */
import pg from 'pg';

type GetTypeParser = typeof pg.types.getTypeParser;

const LAST = 8.64e15;
const FIRST = Date.UTC(-4712, 0, 1);
const { TIMESTAMPTZ } = pg.types.builtins;

const parseTime = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number | null;

function readTime(text: string): Date | null {
  const time = parseTime(text);
  if (time === null) return null;
  // A number is infinite; a date that is too late is invalid.
  if (typeof time === 'number') return new Date(time < 0 ? FIRST : LAST);
  return Number.isNaN(time.getTime()) ? new Date(LAST) : time;
}

/** The parsers of `pg`, but for times. */
export const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): unknown =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? readTime
      : pg.types.getTypeParser(oid, format as 'text')) as GetTypeParser,
};
