/**
 * Milliseconds before an operation is attempted again: doubled with each failure, up to `max`, and multiplied by 0.5 to 1, so that
 * clients that failed together do not retry together (exponential back-off with jitter).
 * @param tries failures before this one
 * @param chance a random number from 0 to 1
 */
export const growingPause = (
  tries: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  chance: number,
): number => Math.min(maxMs, firstMs * 2 ** tries) * (0.5 + chance / 2);
