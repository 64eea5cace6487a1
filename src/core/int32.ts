/** Least and largest value of Java's `int`, and of PostgreSQL's `integer`. */
export const MIN_INT32 = -2_147_483_648;
export const MAX_INT32 = 2_147_483_647;
