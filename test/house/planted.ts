import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { checkLayers } from '../../scripts/check-layers.mjs';

/** Small trees, each with a fault, for the checks of scripts/; they go with the test. */

const trees: string[] = [];
afterEach(() => {
  for (const root of trees.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** @returns the folder in which the files are, by their paths */
export function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'orbweaver-layers-'));
  trees.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** What scripts/check-layers.mjs says of such files. */
export const complaintsOf = (files: Record<string, string>): string[] => checkLayers(tree(files));
