/**
 * Runs many large crawls under faults; test/faults/chaos.deep.spec.ts is the small version.
 *
 *   npm run chaos -- --seeds 500 [--seed 1] [--hosts 50] [--pages 40] [--processes 4] [--faults 8]
 *
 * Each seed is one crawl of hosts × pages pages with up to the given number of faults, compared with an undisturbed crawl. A seed
 * that fails is printed with its schedule; `--seeds 1 --seed <it>` runs it again. The web is that of bench/synthetic-web.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    hosts: { type: 'string', default: '50' },
    pages: { type: 'string', default: '40' },
    processes: { type: 'string', default: '4' },
    faults: { type: 'string', default: '8' },
  },
});

const env = { ...process.env };
for (const [name, value] of Object.entries(values)) env[`CHAOS_${name.toUpperCase()}`] = value;
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const run = spawn(process.execPath, [vitest, 'run', 'test/faults/chaos.deep.spec.ts', '--reporter=verbose'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env,
  stdio: 'inherit',
});
run.once('exit', (code) => process.exit(code ?? 1));
