import { afterEach, describe, expect, it, vi } from 'vitest';
import { confOfCrawl, confOfJob } from '../../src/dashboard/verdict.js';

/** The configuration by which the dashboard asks for a verdict, with a stubbed fetch. */

const never = new AbortController().signal;
const answer = (body: object, status = 200) =>
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(body, { status })));
afterEach(() => vi.unstubAllGlobals());

describe('the configuration of a job', () => {
  it('is that with which it was created', async () => {
    answer({ id: 'k1-c9-FETCH-3', confId: 'c9' });
    expect(await confOfJob('k1-c9-FETCH-3', never)).toBe('c9');
  });

  it('is none if the job was deleted', async () => {
    answer({ detail: 'No job "k1-c9-FETCH-3".' }, 404);
    expect(await confOfJob('k1-c9-FETCH-3', never)).toBe('');
  });
});

describe('the configuration of a crawl', () => {
  it('is that of its newest job', async () => {
    answer([{ confId: 'c9' }]);
    expect(await confOfCrawl('k1', never)).toBe('c9');
  });

  it('is none if it has no job', async () => {
    answer([]);
    expect(await confOfCrawl('k1', never)).toBe('');
  });
});

describe.each([
  ['of a job', confOfJob],
  ['of a crawl', confOfCrawl],
])('the configuration %s that cannot be read', (_, confOf) => {
  const why = 'The configuration to judge by could not be read: ';

  it('is an error that says so, and not the default', async () => {
    answer({ detail: 'The database is not available.' }, 503);
    await expect(confOf('k1', never)).rejects.toThrow(`${why}The database is not available.`);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
    await expect(confOf('k1', never)).rejects.toThrow(`${why}The server does not answer.`);
  });

  it('is an abort if another view was opened', async () => {
    const left = AbortSignal.abort();
    vi.stubGlobal('fetch', () => Promise.reject(left.reason as Error));
    await expect(confOf('k1', left)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});
