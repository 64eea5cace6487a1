import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, redirect, startSite } from '../support/site.js';

/** RFC 9309 §2.3.1.2: robots.txt may be a redirect to another authority; it speaks for the one that was asked. */
describe('a robots.txt that redirects to another host', () => {
  let cycle: Cycle;
  let here: Site;
  let there: Site;

  beforeAll(async () => {
    const rules = page('User-agent: *\nDisallow: /private/', { 'content-type': 'text/plain' });
    there = await startSite({ '/robots.txt': rules, '/': page('there') }, { host: '127.0.2.2' });
    const away = redirect(`${there.url}/robots.txt`, 301);
    here = await startSite({ '/robots.txt': away, '/': page('here'), '/private/a': page('no') }, { host: '127.0.2.1' });
    cycle = await openCycle();
  });
  afterAll(async () => {
    await cycle.close();
    await Promise.all([here.close(), there.close()]);
  });

  const asked = (site: Site) => site.log.map(({ path }) => path);

  it('rules the host that redirects, and is asked for once although both hosts need it', async () => {
    await cycle.inject([`${here.url}/`, `${here.url}/private/a`, `${there.url}/`]);
    await cycle.round({ conf: { 'fetcher.server.delay': '0.3' } });
    expect(asked(here).sort()).toEqual(['/', '/robots.txt']);
    expect(asked(there).sort()).toEqual(['/', '/robots.txt']);
  });

  it('is a request of that host: its rest is kept before and after', () => {
    const [first, second] = there.log.map(({ time }) => time);
    expect(second! - first!).toBeGreaterThanOrEqual(300);
  });

  it('waits while another task has the fetch queue of that host, and takes the file that the task has stored', async () => {
    await cycle.pool.query('delete from robots');
    const queues = await cycle.pool.query<{ queue_id: string }>('select queue_id from politeness');
    const queue = queues.rows.map((row) => row.queue_id).find((id) => id.includes('127.0.2.2'))!;
    await cycle.pool.query(
      `update politeness set owner = 'another task', lease_until = now() + interval '1 minute' where queue_id = $1`,
      [queue],
    );
    const before = there.log.length;
    await cycle.inject([`${here.url}/b`]);
    const round = cycle.round();
    await new Promise((wake) => setTimeout(wake, 700));
    expect(there.log.length).toBe(before);
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, http_status, body)
       values ('127.0.2.2', $1, now(), now() + interval '1 hour', 200, 'User-agent: *')`,
      [there.url],
    );
    await round;
    expect(there.log.length).toBe(before);
    expect(asked(here)).toContain('/b');
  });

  it('is not followed to a host that is left alone: the host that redirects is put off', async () => {
    await cycle.pool.query('delete from robots');
    await cycle.pool.query(
      `update politeness set blocked_until = now() + interval '1 hour', next_at = now() + interval '1 hour', lease_until = now()
        where queue_id like '127.0.2.2%'`,
    );
    const before = there.log.length;
    await cycle.inject([`${here.url}/c`]);
    await cycle.round();
    expect(there.log.length).toBe(before);
    expect(asked(here)).not.toContain('/c');
    const [row] = (await cycle.pool.query<{ error: string }>('select error from robots')).rows;
    expect(row!.error).toContain('left alone');
  });
});
