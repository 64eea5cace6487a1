import { describe, expect, it } from 'vitest';
import { under, useJobs } from './jobs-under-test.js';

useJobs();

describe('the job lock of a crawl and step', () => {
  it('has one owner; another job gets the id of the owner until the owner has ended', async () => {
    const [first, second] = [await under.running(1), await under.running(1)];
    expect(await under.jobs.lock(first.id, '1/UPDATEDB')).toBeNull();
    expect(await under.jobs.lock(first.id, '1/UPDATEDB')).toBeNull();
    expect(await under.jobs.lock(second.id, '1/UPDATEDB')).toBe(first.id);
    expect(await under.jobs.lock(second.id, '2/UPDATEDB')).toBeNull();
    await under.jobs.requestStop(first.id);
    expect(await under.jobs.lock(second.id, '1/UPDATEDB')).toBe(first.id);
    await under.tasks.finish(first.claims[0]!, { reason: 'stopped' });
    expect(await under.jobs.lock(second.id, '1/UPDATEDB')).toBeNull();
  });

  it('stays with a failed job until its other tasks have ended', async () => {
    const [failed, next] = [await under.running(2), await under.running(1)];
    expect(await under.jobs.lock(failed.id, 'left:UPDATEDB')).toBeNull();
    await under.tasks.fail(failed.claims[0]!, 'broken');
    expect(await under.jobs.lock(next.id, 'left:UPDATEDB')).toBe(failed.id);
    await under.tasks.release(failed.claims[1]!);
    expect(await under.jobs.lock(next.id, 'left:UPDATEDB')).toBeNull();
  });

  it('is granted to one of many jobs that request it at once', async () => {
    const asking = [];
    for (let i = 0; i < 6; i++) asking.push((await under.running(1)).id);
    const answers = await Promise.all(asking.map((id) => under.jobs.lock(id, '9/GENERATE')));
    expect(answers.filter((owner) => owner === null)).toHaveLength(1);
    const winner = asking[answers.indexOf(null)];
    expect(new Set(answers.filter((owner) => owner !== null))).toEqual(new Set([winner]));
  });
});
