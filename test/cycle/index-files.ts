/** Files that an INDEX wrote. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { cycle } from './crawler.js';

export type Line = Record<string, unknown> & { id: string };

/** Files of a job of a crawl, by name. */
export async function indexFiles(
  folder: string,
  { id, crawlId }: Pick<JobRow, 'id' | 'crawlId'>,
  writer = 'indexer-jsonl',
): Promise<Map<string, string>> {
  const within = join(folder, crawlId, writer, id);
  const names = await readdir(within).catch(() => []);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(within, name), 'utf8')] as const)),
  );
}

/** Their lines of JSON, ordered by id. */
export async function indexLines(...given: Parameters<typeof indexFiles>): Promise<Line[]> {
  const files = await indexFiles(...given);
  return [...files.values()]
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line) as Line)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The folder of the files that INDEX writes in a spec of `useCrawler`; its path is known when the tests run. */
export function useIndexFolder(): { readonly path: string } {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    cycle.indexDir = folder.path;
  });
  afterAll(() => folder.remove());
  return {
    get path() {
      return folder.path;
    },
  };
}
