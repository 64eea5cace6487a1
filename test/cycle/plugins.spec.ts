import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, startSite } from '../support/site.js';

const ALL =
  'protocol-http|urlfilter-(regex|suffix|domain)|parse-(html|text)|scoring-opic|urlnormalizer-(pass|regex|basic)';

describe('plugin.includes and plugin.excludes', () => {
  let cycle: Cycle;
  let site: Site;

  beforeAll(async () => {
    cycle = await openCycle();
    site = await startSite((request, response) => {
      const type = request.url === '/text' ? 'text/plain' : 'text/html';
      response
        .writeHead(200, { 'content-type': type })
        .end('<title>T</title><a href="/next">next</a> http://127.0.0.1/linked');
    });
  });
  afterAll(async () => {
    await cycle.close();
    await site.close();
  });

  /** One round over one page under a configuration, in a crawl of its own. */
  const round = async (crawlId: string, path: string, conf: Record<string, string>) => {
    await cycle.inject([`${site.url}${path}`], {}, { crawlId });
    await cycle.round({ crawlId, conf });
    return cycle.db.query<{ title: string | null; score: number; cash: number; parse_args: string[] | null }>(
      `select title, score, cash, parse_args from webpage w join crawl c on c.id = w.crawl where c.name = $1 order by distance, key`,
      [crawlId],
    );
  };

  it('without parse-html leave an HTML page fetched and unparsed', async () => {
    const [page] = await round('nohtml', '/', { 'plugin.excludes': 'parse-html' });
    expect(page).toMatchObject({ title: null, parse_args: ['no parser for text/html'] });
  });

  it('with parse-tika of a Nutch configuration enable parse-text', async () => {
    const pages = await round('tika', '/text', {
      'plugin.includes': ALL.replace('parse-(html|text)', 'parse-(html|tika)'),
    });
    expect(pages).toHaveLength(2);
  });

  it('without scoring-opic leave a page its cash', async () => {
    const [page, found] = await round('noopic', '/', { 'plugin.excludes': 'scoring-opic' });
    expect(page).toMatchObject({ score: 1, cash: 1 });
    expect(found).toMatchObject({ score: 0, cash: 0 });
  });

  it('without an HTTP plugin make FETCH fail at once with the missing plugin in msg', async () => {
    await cycle.inject([`${site.url}/`], {}, { crawlId: 'nohttp' });
    const conf = { 'plugin.excludes': 'protocol-http' };
    await cycle.run('GENERATE', {}, { crawlId: 'nohttp', conf });
    const job = await cycle.run('FETCH', {}, { crawlId: 'nohttp', conf });
    expect(job.state).toBe('FAILED');
    expect(job.msg).toContain("'plugin.includes' must name protocol-http");
  });
});
