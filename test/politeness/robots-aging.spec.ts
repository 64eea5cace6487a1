import { describe, expect, it } from 'vitest';
import { type Handler, page, redirect } from '../support/site.js';
import { cycle, site, taskCache, useRobots } from './robots-under-test.js';

/** The robots.txt cache of a task that runs for days, as the FETCH of a continuous crawl does (RFC 9309 §2.4). */

useRobots();

const HOUR = 3_600_000;
const rules = (path: string) => page(`user-agent: *\ndisallow: ${path}`, { 'content-type': 'text/plain' });

/** A task, and its clock: the times in the table move back as the clock moves on. */
function longTask(given: Record<string, string> = {}) {
  let ms = 0;
  const { cache, reads } = taskCache(given, { now: () => ms });
  const pass = async (passed: number) => {
    ms += passed;
    await cycle.pool.query(
      `update robots set fetched_at = fetched_at - make_interval(secs => $1), expires_at = expires_at - make_interval(secs => $1)`,
      [passed / 1_000],
    );
  };
  const allows = async (url: string) => {
    const { meaning, fetched } = await cache.get(new URL(url).origin);
    return [meaning.kind === 'rules' ? cache.judge(meaning.robots, url).allowed : meaning.kind, fetched];
  };
  return { cache, reads, pass, allows };
}

/** A site whose robots.txt changes. */
async function changingSite(first: Handler) {
  let now = first;
  const web = await site({ '/robots.txt': (req, res) => now(req, res) });
  return { web, become: (next: Handler) => (now = next) };
}

describe('a robots.txt in a task that runs for days', () => {
  it('is requested again when it has expired: its rules may have changed', async () => {
    const { web, become } = await changingSite(rules('/no/'));
    const { allows, pass } = longTask();
    expect([await allows(`${web.url}/no/a`), await allows(`${web.url}/a`)]).toEqual([
      [false, true],
      [true, false],
    ]);
    become(rules('/a'));
    await pass(23 * HOUR);
    expect(await allows(`${web.url}/a`)).toEqual([true, false]);
    await pass(2 * HOUR);
    expect([await allows(`${web.url}/a`), await allows(`${web.url}/no/a`)]).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(web.log).toHaveLength(2);
  });

  it('is read from the table once an hour while it is valid: another task may have requested it', async () => {
    const { web, become } = await changingSite(rules('/no/'));
    const first = longTask();
    await first.allows(web.url);
    become(rules('/a'));
    await first.pass(25 * HOUR);
    await longTask().allows(web.url);
    expect(await first.allows(`${web.url}/a`)).toEqual([false, false]);
    await first.pass(HOUR / 2);
    await first.allows(web.url);
    expect([web.log.length, first.reads.count]).toEqual([2, 2]);
  });

  it('is valid for an hour, however short http.robots.cache.seconds is', async () => {
    const { web } = await changingSite(rules('/no/'));
    const { allows, pass } = longTask({ 'http.robots.cache.seconds': '0' });
    await allows(web.url);
    await pass(HOUR - 1_000);
    expect(await allows(web.url)).toEqual([true, false]);
    await pass(2_000);
    expect(await allows(web.url)).toEqual([true, true]);
  });

  it.each<[what: string, first: Handler, kind: string]>([
    ['unavailable', page('', {}, 503), 'wait'],
    ['missing', page('', {}, 404), 'allow'],
  ])('that was %s is requested again', async (_, first, kind) => {
    const { web, become } = await changingSite(first);
    const { allows, pass } = longTask({ 'http.robots.cache.seconds': '3000' });
    expect([await allows(web.url), await allows(web.url)]).toEqual([
      [kind, true],
      [kind, false],
    ]);
    become(rules('/a'));
    await pass(HOUR);
    expect([await allows(`${web.url}/a`), await allows(`${web.url}/b`)]).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('that redirects to another host is requested there again', async () => {
    let path = '/a';
    const there = await site({ '/r': (req, res) => rules(path)(req, res) }, { host: '127.0.9.1' });
    const here = await site({ '/robots.txt': redirect(`${there.url}/r`, 301) });
    const { allows, pass } = longTask({ 'http.robots.cache.seconds': '3000' });
    expect(await allows(`${here.url}/a`)).toEqual([false, true]);
    path = '/b';
    await pass(HOUR);
    expect(await allows(`${here.url}/a`)).toEqual([true, true]);
    expect([here.log.length, there.log.length]).toEqual([2, 2]);
  });
});
