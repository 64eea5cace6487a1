import { expect, it } from 'vitest';
import { Gathering } from '../../src/politeness/lease-batcher.js';

/** Asks of one moment are one statement. */

it('asks once for all that come in one moment, each of them once, and anew for those that come later', async () => {
  const asked: string[][] = [];
  const gathering = new Gathering(async (ids) => void asked.push(ids));
  await Promise.all(['a', 'b', 'a', 'c'].map((id) => gathering.add(id)));
  await gathering.add('a');
  expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
});

it('names all of them when it fails, and goes on', async () => {
  let away = true;
  const gathering = new Gathering(() => (away ? Promise.reject(new Error('away')) : Promise.resolve()));
  const both = await Promise.allSettled(['a', 'b'].map((id) => gathering.add(id)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  away = false;
  await expect(gathering.add('a')).resolves.toBeUndefined();
});
