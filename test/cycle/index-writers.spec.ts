import { expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { NO_MAPPING } from '../../src/core/indexing/field-mapping.js';
import { type IndexWriter, WriteFailed } from '../../src/core/indexing/index-writer.js';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';

/** How INDEX sends documents to a writer that fails or hangs. */

const chunk = { documents: [{ id: 'a', fields: new Map(), boost: 1 } as unknown as IndexDocument], deleted: [] };
const nothing = () => Promise.resolve();

function writersWith(writer: Partial<IndexWriter>, { retries = 0, signal = new AbortController().signal } = {}) {
  const whole = { write: () => Promise.resolve([]), delete: nothing, commit: nothing, close: nothing, ...writer };
  return new IndexWriters([{ id: 'w', mapping: NO_MAPPING, writer: whole }], { retries, timeoutMs: 600_000, signal });
}

it('a retry waits as long as the engine asks by Retry-After, though its own pause is shorter', async () => {
  const times: number[] = [];
  const write = () => {
    times.push(performance.now());
    return times.length > 1 ? Promise.resolve([]) : Promise.reject(new WriteFailed('busy', true, 600));
  };
  const writers = writersWith({ write }, { retries: 1 });
  await writers.send(chunk);
  expect([...writers.givenUp]).toEqual([]);
  // Timers fire a little early by this clock.
  expect(times[1]! - times[0]!).toBeGreaterThan(598);
});

it('a halt ends an attempt that gets no answer, with its own reason, and gives no writer up', async () => {
  const halt = new AbortController();
  const asked = Promise.withResolvers<void>();
  const write = () => {
    asked.resolve();
    return new Promise<never>(() => undefined);
  };
  const writers = writersWith({ write }, { signal: halt.signal });
  const sent = writers.send(chunk);
  await asked.promise;
  halt.abort(new Error('stopped'));
  await expect(sent).rejects.toThrow('stopped');
  expect([...writers.givenUp]).toEqual([]);
});

it('a writer that buffers no longer counts when it is given up', async () => {
  const writers = writersWith({ write: () => Promise.reject(new Error('broken')), flush: nothing });
  expect(writers.buffers).toBe(true);
  await writers.send(chunk);
  expect([writers.open, writers.buffers]).toEqual([0, false]);
});
