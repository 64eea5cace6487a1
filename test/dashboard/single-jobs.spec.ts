import { afterEach, describe, expect, it, vi } from 'vitest';
import { singleJobs } from '../../src/dashboard/single-jobs.js';

/** The single jobs of the start view, among the steps of crawls, with a stubbed fetch. */

afterEach(() => vi.unstubAllGlobals());
const never = new AbortController().signal;

interface PlayedJob {
  id: string;
  type: string;
  parent: string | null;
  state: string;
  createdAt: string;
}

const jobOf = (number: number, { parent = 'k-CRAWL-1' as string | null, state = 'FINISHED' } = {}): PlayedJob => ({
  id: `k-FETCH-${number}`,
  type: 'FETCH',
  parent,
  state,
  createdAt: new Date(number * 1_000).toISOString(),
});

/** The routes of jobs: the newest first, the open ones added to the first part, a Link to the next part. */
function playJobs(jobs: PlayedJob[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    const { pathname, searchParams } = new URL(address, 'http://server.test/');
    const one = pathname.replace(/^\/job\/?/, '');
    if (one) return Promise.resolve(found(jobs.find(({ id }) => id === one)));
    const [limit, cursor] = [Number(searchParams.get('limit')), Number(searchParams.get('cursor') ?? Infinity)];
    const newestFirst = jobs.filter(({ id }) => numberOf(id) < cursor).toReversed();
    const part = newestFirst.slice(0, limit);
    const open = cursor === Infinity ? newestFirst.slice(limit).filter(({ state }) => state === 'RUNNING') : [];
    const more: Record<string, string> =
      newestFirst.length > limit ? { Link: `<?limit=${limit}&cursor=${numberOf(part.at(-1)!.id)}>; rel="next"` } : {};
    return Promise.resolve(Response.json([...part, ...open], { headers: more }));
  });
  return asked;
}
const numberOf = (id: string) => Number(id.split('-').at(-1));
const found = (job: PlayedJob | undefined) =>
  job ? Response.json(job) : Response.json({ detail: 'gone' }, { status: 404 });
const steps = (from: number, count: number) => Array.from({ length: count }, (_, n) => jobOf(from + n));
const ids = (jobs: { id: string }[]) => jobs.map(({ id }) => numberOf(id));

describe('singleJobs', () => {
  it('finds those that are older than hundreds of steps of crawls', async () => {
    playJobs([jobOf(1, { parent: null }), ...steps(2, 1_300), jobOf(2_000, { parent: null })]);
    const look = singleJobs(never);
    await look();
    await look();
    await look();
    expect(ids(await look())).toEqual([2_000, 1]);
  });

  it('reads nothing older once it has found enough, or the end', async () => {
    const asked = playJobs([
      jobOf(1, { parent: null }),
      ...Array.from({ length: 30 }, (_, n) => jobOf(2 + n, { parent: null })),
      ...steps(100, 95),
    ]);
    const look = singleJobs(never);
    for (let n = 0; n < 5; n++) await look();
    expect(asked.filter((address) => address.includes('cursor'))).toHaveLength(1);
    expect(ids(await look())).toHaveLength(31);
  });

  it('shows the end of an old one that was running, and forgets one that was deleted', async () => {
    const [old, doomed] = [jobOf(1, { parent: null, state: 'RUNNING' }), jobOf(2, { parent: null, state: 'RUNNING' })];
    const jobs = [old, doomed, ...steps(3, 200)];
    playJobs(jobs);
    const look = singleJobs(never);
    expect(ids(await look())).toEqual([2, 1]);
    Object.assign(old, { state: 'FINISHED' });
    jobs.splice(1, 1);
    const now = (await look()) as PlayedJob[];
    expect(now.map(({ id, state }) => [id, state])).toEqual([['k-FETCH-1', 'FINISHED']]);
  });

  it('forgets ended ones that it does not show: a view may be open for weeks', async () => {
    const jobs: PlayedJob[] = [];
    playJobs(jobs);
    const look = singleJobs(never);
    for (let time = 0; time < 50; time++) {
      jobs.push(...Array.from({ length: 100 }, (_, n) => jobOf(100 * time + n + 1, { parent: null })));
      await look();
    }
    const parse = vi.spyOn(Date, 'parse');
    expect(ids(await look())).toEqual(Array.from({ length: 100 }, (_, n) => 5_000 - n));
    // Sorting all that were ever there compares thousands of times.
    expect(parse.mock.calls.length).toBeLessThan(2_000);
    parse.mockRestore();
  });
});
