/**
 * The errors of PostgreSQL that the program tells apart, by their SQLSTATE (PostgreSQL's appendix A). Classes of them:
 * transient.ts.
 */
export const SQL_STATE = {
  /** A string that the encoding of the database cannot hold, such as NUL. */
  BAD_CHARACTER: '22021',
  UNIQUE_VIOLATION: '23505',
  CHECK_VIOLATION: '23514',
  /** A write to a replica, or to a read-only server. */
  READ_ONLY: '25006',
  DEADLOCK: '40P01',
  INSUFFICIENT_PRIVILEGE: '42501',
  DUPLICATE_TABLE: '42P07',
  /** A lock was not free within `lock_timeout`. */
  LOCK_NOT_AVAILABLE: '55P03',
  /** A statement exceeded `statement_timeout`, or was cancelled. */
  QUERY_CANCELED: '57014',
} as const;

/** Whether PostgreSQL reported one of these states. */
export function hasSqlState(error: unknown, ...states: readonly (keyof typeof SQL_STATE)[]): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return states.some((state) => SQL_STATE[state] === code);
}
