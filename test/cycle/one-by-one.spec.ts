import { describe, expect, it } from 'vitest';
import { OneByOne } from '../../src/cycle/fetch/one-by-one.js';

/** Pages of queues with these backlogs, all fetched at once; returns the order in which they are read, and work between them. */
async function order(backlogs: readonly number[]): Promise<string[]> {
  const reading = new OneByOne();
  const seen: string[] = [];
  let isOver = false;
  const other = () => {
    if (isOver) return;
    seen.push('other work');
    setImmediate(other);
  };
  const pages = backlogs.map((backlog, at) => reading.iteration(() => backlog).then(() => seen.push(`page ${at}`)));
  setImmediate(other);
  await Promise.all(pages);
  isOver = true;
  return seen;
}

describe('fetched pages', () => {
  it('are read one per iteration of the event loop, with other work in between', async () => {
    const seen = await order([0, 0, 0]);
    const pages = seen.flatMap((what, at) => (what.startsWith('page') ? [at] : []));
    expect(pages).toHaveLength(3);
    pages.slice(1).forEach((at, i) => expect(seen.slice(pages[i]! + 1, at)).toContain('other work'));
  });

  it('are read alternately in order of arrival and from the queue with the longest backlog', async () => {
    const pages = (await order([1, 2, 9, 3, 9])).filter((what) => what.startsWith('page'));
    expect(pages).toEqual(['page 0', 'page 2', 'page 1', 'page 4', 'page 3']);
  });

  it('are all read at once when their task ends, and later ones without waiting', async () => {
    const reading = new OneByOne();
    const seen: string[] = [];
    const waiting = ['a', 'b', 'c'].map((page) => reading.iteration(() => 0).then(() => seen.push(page)));
    const iteration = new Promise<void>((resolve) => setImmediate(resolve)).then(() => seen.push('iteration'));
    reading.end();
    await Promise.all([...waiting, reading.iteration(() => 0).then(() => seen.push('later')), iteration]);
    expect(seen).toEqual(['a', 'b', 'c', 'later', 'iteration']);
  });
});
