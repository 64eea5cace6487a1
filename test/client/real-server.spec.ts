import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { KEY, client, folder, server, site, useServer } from '../commands/used-server.js';

/** The TypeScript client against a running server. */

useServer();

describe('the TypeScript client with a running server', () => {
  it('runs the example of its README', async () => {
    const readme = await readFile(new URL('../../clients/typescript/README.md', import.meta.url), 'utf8');
    const built = new URL('../../dist/clients/typescript/src/orbweaver.js', import.meta.url).href;
    const example = (/```ts\n([^]*?)```/.exec(readme)?.[1] ?? '')
      .replace("'orbweaver-client'", `'${built}'`)
      .replace("url: 'http://127.0.0.1:8081'", `url: '${server.url}', key: '${KEY}'`)
      .replace('https://nutch.apache.org/', `${site.url}/`);
    const file = join(folder.path, 'example.mjs');
    await writeFile(file, example);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^FINISHED \{[^]*urls_injected: 1/),
      stderr: '',
    });
  });

  it('returns the events of a job up to the event `end`', async () => {
    const { id } = await client.job.create({ type: 'INJECT', crawlId: 'events', args: { seed: `${site.url}/` } });
    const kinds: string[] = [];
    let last: unknown;
    for await (const { kind, data } of client.events(id)) {
      kinds.push(kind);
      last = data;
    }
    expect(kinds).toContain('state');
    expect(kinds.at(-1)).toBe('end');
    expect(last).toMatchObject({ jobId: id, state: 'FINISHED' });
  });

  it('returns the events of all jobs of a crawl, and resumes after an event', async () => {
    const { id } = await client.crawl.create({
      crawlId: 'followed',
      seeds: [`${site.url}/`],
      rounds: 1,
      scope: 'host',
    });
    const jobs = new Set<string>();
    const ids: string[] = [];
    for await (const event of client.crawlEvents(id)) {
      jobs.add(event.jobId);
      if (event.kind !== 'end') ids.push(event.id);
    }
    // CRAWL, INJECT, GENERATE, FETCH and UPDATEDB.
    expect(jobs.size).toBe(5);
    const again: string[] = [];
    for await (const event of client.crawlEvents(id, { lastEventId: ids[3] ?? '' }))
      if (event.kind !== 'end') again.push(event.id);
    expect(again).toEqual(ids.slice(4));
    // The crawl id names the same crawl.
    const byCrawlId: string[] = [];
    for await (const event of client.crawlEvents('followed', { until: 'end' })) byCrawlId.push(event.jobId);
    expect(new Set(byCrawlId)).toEqual(jobs);
    expect(byCrawlId).toHaveLength(ids.length + 1);
    expect((await client.crawl.read('followed')).id).toBe(id);
  });

  it('creates one job by two calls with the same idempotency key', async () => {
    const make = () =>
      client.job.create(
        { type: 'INJECT', crawlId: 'once', args: { seed: `${site.url}/` } },
        { idempotencyKey: 'once-1' },
      );
    const [first, second] = [await make(), await make()];
    expect(second.id).toBe(first.id);
    expect(await client.job.list({ crawlId: 'once' })).toHaveLength(1);
  });

  it('throws OrbweaverProblem that names the invalid argument', async () => {
    const args = { topN: 'many' as unknown as number };
    await expect(client.job.create({ type: 'GENERATE', args })).rejects.toMatchObject({
      name: 'OrbweaverProblem',
      code: 'JOB_ARGS_INVALID',
      status: 400,
      detail: expect.stringContaining('topN'),
    });
  });

  it('waits for the end of a job, and stops waiting when the signal aborts', async () => {
    const { id } = await client.job.create({ type: 'GENERATE', crawlId: 'followed', args: {} });
    expect(await client.waitFor(id, { every: 50 })).toMatchObject({ id, state: 'FINISHED' });
    await expect(client.waitFor(id, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
