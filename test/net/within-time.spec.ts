import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withinTime } from '../../src/net/within-time.js';

/** A wait with a time limit. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => undefined);
const after = <T>(ms: number, end: () => T) => new Promise<void>((resolve) => setTimeout(resolve, ms)).then(end);

it('returns what the work returns before the limit, and leaves no timer', async () => {
  const late = vi.fn(() => 'late');
  const waited = withinTime(
    1_000,
    after(999, () => 'done'),
    late,
  );
  await vi.advanceTimersByTimeAsync(999);
  expect(await waited).toBe('done');
  expect([vi.getTimerCount(), late.mock.calls]).toEqual([0, []]);
});

it('returns at the limit what is given for that case', async () => {
  const waited = withinTime(1_000, never, () => 'late');
  const ended = vi.fn();
  void waited.then(ended);
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await waited).toBe('late');
});

it('throws at the limit if that is given for that case', async () => {
  const waited = withinTime(1_000, never, () => {
    throw new Error('no answer in a second');
  });
  const refused = expect(waited).rejects.toThrow('no answer in a second');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});

it('throws what the work throws, and leaves no timer', async () => {
  await expect(withinTime(1_000, Promise.reject(new Error('refused')), () => 'late')).rejects.toThrow('refused');
  expect(vi.getTimerCount()).toBe(0);
});

it('ignores an error of work that fails after the limit', async () => {
  const failing = after(2_000, () => {
    throw new Error('refused');
  });
  const waited = withinTime(1_000, failing, () => 'late');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await waited).toBe('late');
});
