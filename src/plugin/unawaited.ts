/** Whether an extension returned a promise where a value is expected: it is not awaited, and its rejection is ignored. */
export function unawaited(given: unknown): boolean {
  if (!(given instanceof Promise)) return false;
  given.catch(() => undefined);
  return true;
}
