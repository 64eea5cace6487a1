/** Whether an extension returned a promise where a value is expected: it is not awaited, and its rejection is ignored. */
export function unawaited(returned: unknown): boolean {
  if (!(returned instanceof Promise)) return false;
  returned.catch(() => undefined);
  return true;
}
