/** The result of `work`, or after `ms` that of `late`, which may throw. The work continues: nothing waits for it. */
export async function withinTime<T, L>(ms: number, work: PromiseLike<T>, late: () => L): Promise<T | L> {
  const expired = Promise.withResolvers<void>();
  const timer = setTimeout(expired.resolve, ms);
  try {
    return await Promise.race([work, expired.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
