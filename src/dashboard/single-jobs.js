/**
 * The single jobs: those that belong to no crawl. They are listed with the steps of crawls, of which there may be thousands, so each
 * look also reads an older part of that list, until a few single jobs are found.
 */
import { path, read, send } from './api.js';
import { hasEnded } from './words.js';

const AT_ONCE = 100;
const OLDER_AT_ONCE = 500;
const WANTED = 20;
const SHOWN = 100;

/** Returns a function that returns the single jobs known so far, newest first, among them all that have not ended. */
export function singleJobs(signal) {
  const known = new Map();
  /** The cursor of the next older part; undefined before the first look, null after the last part. */
  let cursor;
  const take = async (address) => {
    const response = await send('GET', address, { signal, headers: { Accept: 'application/json' } });
    const jobs = await response.json();
    for (const job of jobs) if (job.type !== 'CRAWL' && job.parent === null) known.set(job.id, job);
    const next = /[?&]cursor=(\d+)/.exec(response.headers.get('Link') ?? '')?.[1] ?? null;
    return { ids: new Set(jobs.map(({ id }) => id)), next };
  };
  /** A job that ended since the last look is in the newest part only if it is new itself. */
  const takeEnded = async (job) => {
    try {
      known.set(job.id, await read(path`job/${job.id}`, signal));
    } catch (problem) {
      if (problem.status !== 404) throw problem;
      known.delete(job.id);
    }
  };
  return async () => {
    const { ids, next } = await take(`job?limit=${AT_ONCE}`);
    await Promise.all([...known.values()].filter((job) => !hasEnded(job) && !ids.has(job.id)).map(takeEnded));
    if (cursor === undefined) cursor = next;
    else if (cursor !== null && known.size < WANTED)
      cursor = (await take(`job?limit=${OLDER_AT_ONCE}&cursor=${cursor}`)).next;
    const newestFirst = [...known.values()].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    const shown = newestFirst.filter((job, at) => at < SHOWN || !hasEnded(job));
    // The others are forgotten: the view may be open for weeks.
    known.clear();
    for (const job of shown) known.set(job.id, job);
    return shown;
  };
}
