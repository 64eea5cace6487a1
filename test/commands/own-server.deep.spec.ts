import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { page, type Site, startSite } from '../support/site.js';
import { startProgram } from './program.js';

/** `inspect` and `export` without a running server: they start a temporary one, on kept data or on none. */

let folder: TemporaryFolder;
let site: Site;
beforeAll(async () => {
  folder = await temporaryFolder();
  site = await startSite({ '/': page('<title>home</title>') });
});
afterAll(async () => {
  await site?.close();
  await folder?.remove();
});

const start = (...args: string[]) => startProgram(args, { TMPDIR: folder.path });
const leftovers = async () => (await readdir(folder.path)).filter((name) => name.startsWith('orbweaver-'));

describe('a command with a temporary server', () => {
  it('inspect: reports an internal address as refused, without a request', async () => {
    const { code, stdout, stderr } = await start('inspect', `${site.url}/`, '--robots', '--agent', 'my-bot').ended;
    expect(stdout, stderr).toMatch(/INNER_ADDRESS: .*loopback/);
    expect(stdout).not.toContain('AGENT_NAME');
    expect({ code, connections: site.connections() }).toEqual({ code: 9, connections: 0 });
    expect(await leftovers()).toEqual([]);
  });

  it('export --data: writes the pages of a kept crawl', async () => {
    const data = join(folder.path, 'kept');
    const open = ['--conf', 'http.filter.ipaddress.exclude=', '--workers', '1', '--quiet'];
    expect((await start('crawl', `${site.url}/`, '--data', data, '--crawl-id', 'k1', ...open).ended).code).toBe(0);
    const { code, stdout } = await start('export', '--data', data, '--crawl-id', 'k1').ended;
    expect(JSON.parse(stdout)).toMatchObject({ url: `${site.url}/`, status: 'db_fetched', title: 'home' });
    expect(code).toBe(0);
  });

  it('Ctrl-C ends it with code 130 and leaves no files', async () => {
    const program = start('inspect', 'http://a.test/');
    await expect.poll(leftovers).toHaveLength(1);
    program.interrupt();
    expect((await program.ended).code).toBe(130);
    expect(await leftovers()).toEqual([]);
  });
});
