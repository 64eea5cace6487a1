import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { loadPlugins } from '../../src/plugin/external.js';
import type { Plugin } from '../../src/plugin/extension-points.js';
import { listedPlugins } from '../../src/plugin/registry.js';

/** External plugins, each in a folder of its own; the folders are removed when the spec file ends. */

let root: string;
let folders = 0;

export function useFolders(): void {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'plugins-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
}

/** A folder with these files. */
export async function folder(files: Record<string, string>): Promise<string> {
  const dir = join(root, `f${++folders}`);
  await mkdir(dir);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
  return dir;
}

/** The lines that were logged. */
export const lines: string[] = [];
export const load = async (files: Record<string, string>) =>
  loadPlugins(await folder(files), listedPlugins(), (line) => void lines.push(line));

/** The plugin `p` with this source. */
export const made = async <K extends keyof Plugin>(source: string) => {
  const { plugins } = await load({ 'p.mjs': `export default { id: 'p', description: 'P.', ${source} };` });
  return plugins[0]!.plugin as Plugin & Required<Pick<Plugin, K>>;
};
