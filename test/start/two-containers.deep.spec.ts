import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { isRoot } from '../../src/db/embedded/account.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { CONTAINER, runProgram, type Server, startServer } from '../support/server.js';

/** One data directory in two containers: neither sees the processes or the shared memory of the other. */

function hasContainers(): boolean {
  try {
    execFileSync(CONTAINER[0], [...CONTAINER.slice(1), 'true'], { stdio: 'ignore' });
    return isRoot();
  } catch {
    return false;
  }
}

let folder: TemporaryFolder;
const servers: Server[] = [];
beforeEach(async () => (folder = await temporaryFolder()));
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await folder.remove();
});

async function start(inContainer: boolean): Promise<Server> {
  const server = await startServer({ dataDir: folder.path, inContainer });
  servers.push(server);
  return server;
}

const health = async ({ url }: Server) => (await fetch(`${url}/health/ready`)).status;
const postmasterPid = () => readFile(join(folder.path, 'postgres', 'postmaster.pid'), 'utf8');

describe('a data directory shared by two containers', onlyWhere(hasContainers(), 'needs namespaces (unshare)'), () => {
  it.each([true, false])('keeps its server when the other one starts (container: %s)', async (inContainer) => {
    const first = await start(!inContainer);
    const before = await postmasterPid();
    const { code, stderr } = await runProgram({ dataDir: folder.path, inContainer });
    expect(stderr).toMatch(/^orbweaver: another server \(pid \d+ of another container\) uses the data directory/);
    expect(code).toBe(3);
    expect(await postmasterPid()).toBe(before);
    expect(await health(first)).toBe(200);
  });

  it.each([true, false])('is taken over after kill -9 of the other one (container: %s)', async (inContainer) => {
    const first = await start(!inContainer);
    await first.kill9('tree');
    const second = await start(inContainer);
    expect(await health(second)).toBe(200);
  });
});
