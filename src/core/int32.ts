/** Largest value of Java's `int`, and of PostgreSQL's `integer`. */
export const MAX_INT32 = 2_147_483_647;
