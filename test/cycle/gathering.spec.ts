import { expect, it } from 'vitest';
import { Gathering } from '../../src/politeness/lease-batcher.js';

/** Requests of one iteration of the event loop are combined into one statement. */

it('combines simultaneous requests into one, without duplicates, and repeats an id that is added later', async () => {
  const asked: string[][] = [];
  const gathering = new Gathering(async (ids) => void asked.push(ids));
  await Promise.all(['a', 'b', 'a', 'c'].map((id) => gathering.add(id)));
  await gathering.add('a');
  expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
});

it('rejects all combined requests when the statement fails, and accepts later ones', async () => {
  let failing = true;
  const gathering = new Gathering(() => (failing ? Promise.reject(new Error('away')) : Promise.resolve()));
  const both = await Promise.allSettled(['a', 'b'].map((id) => gathering.add(id)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failing = false;
  await expect(gathering.add('a')).resolves.toBeUndefined();
});
