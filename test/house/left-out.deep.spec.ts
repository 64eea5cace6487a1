import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

/** Nothing is skipped in silence: a run says what it left out and why, and where changes are judged it fails. */

const root = join(import.meta.dirname, '../..');

/** Specs that need the cases of others: some for all their tests, some for a few. */
const SPECS = ['test/conformance/', 'test/net/egress-guard.spec.ts'];

/** A run of them where the cases are not. */
async function runWithout(ci: string): Promise<{ code: number | null; lines: string[] }> {
  const folder = await temporaryFolder();
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...env } = process.env;
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...SPECS, '--no-color'], {
    cwd: root,
    env: { ...env, CI: ci, ORBWEAVER_SHARED: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await folder.remove();
  return { code, lines: text.split('\n').map((line) => line.replaceAll(folder.path, 'SHARED').trim()) };
}

const MISSING = 'SHARED/conformance is not there (ORBWEAVER_SHARED names the folder that has conformance/)';

describe('without the cases of others', () => {
  it('a run says in one line what it left out', async () => {
    const { code, lines } = await runWithout('');
    expect(code).toBe(0);
    const tests = lines.find((line) => /^Tests\s/.test(line));
    const [, passed, count] = /^Tests\s+(\d+) passed \| (\d+) skipped/.exec(tests ?? '') ?? [];
    expect(Number(passed)).toBeGreaterThan(100);
    expect(Number(count)).toBeGreaterThan(80);
    const specs = readdirSync(join(root, 'test/conformance')).length + SPECS.length - 1;
    expect(lines.filter((line) => line.includes('left out'))).toEqual([
      `left out: ${count} tests of ${specs} files; ${count}: ${MISSING}`,
    ]);
  });

  it('CI fails, with one line that says why', async () => {
    const { code, lines } = await runWithout('true');
    expect(code).toBe(1);
    expect(lines.filter((line) => line.includes('CI needs'))).toEqual([
      `Error: CI needs the cases of others: ${MISSING}`,
    ]);
  });
});
