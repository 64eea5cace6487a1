import { chmod, lstat, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary data directory, and the place of its own that a root-run PostgreSQL may have taken elsewhere. */

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a folder. `closed`: mode 0700, as `mktemp -d` makes it, so that another user cannot pass. */
export async function temporaryFolder(options: { closed?: boolean } = {}): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'orbweaver-test-'));
  await chmod(path, options.closed ? 0o700 : 0o755);
  return {
    path,
    remove: async () => {
      const place = await ownPlace(path);
      if (place) await rm(place, { recursive: true, force: true });
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Where the link `postgres` of a data directory leads: the folder that holds the data and nothing else. */
async function ownPlace(dataDir: string): Promise<string | undefined> {
  const link = join(dataDir, 'postgres');
  const found = await lstat(link).catch(() => undefined);
  return found?.isSymbolicLink() ? dirname(await readlink(link)) : undefined;
}
