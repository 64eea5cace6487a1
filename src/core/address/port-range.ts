/** Ports as a rule names them: one, or a range such as `1-79`. */

export const MAX_PORT = 65_535;

/** First and last port; null for anything else, ranges without a port included. */
export function portRange(rule: string): { from: number; to: number } | null {
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(rule) ?? [];
  if (first === undefined) return null;
  const [from, to] = [Number(first), Number(last ?? first)];
  return from <= to && to <= MAX_PORT ? { from, to } : null;
}
