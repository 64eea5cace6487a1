/** An extension that was to answer at once has answered a promise: no code awaits it, and its rejection is no news. */
export function unawaited(given: unknown): boolean {
  if (!(given instanceof Promise)) return false;
  given.catch(() => undefined);
  return true;
}
