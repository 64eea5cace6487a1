/** Numbers that clients gave to their seeds, within those that JSON carries: a `bigint` column, which `pg` answers as text. */
export const numberOfClient = {
  to: (number: number | null): number | null => number,
  from: (text: string | null): number | null => (text === null ? null : Number(text)),
};
