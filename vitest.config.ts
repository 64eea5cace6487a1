import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LeftOutReporter } from './test/support/left-out.js';
import { PATIENCE_MS } from './test/support/patience.js';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const ROOMY = 8 * 2 ** 30;

/** A database is hundreds of files, and most specs have one of their own: in memory it is made in 20 ms, on a disk in 300. */
function temporary(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > ROOMY ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}
process.env['TMPDIR'] ??= temporary();
// Processes of tests, and the programs that they start, load sooner.
process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}node_modules/.cache/compile`;

/**
 * Tests run what was built (dist), loaded by Node itself: what ships is what is tested, and spec files begin sooner.
 * `test/support/build.ts` sees to it that it is not older than the sources.
 */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer || !/^\.\.?\/.*\.js$/.test(source)) return null;
    const path = fileURLToPath(new URL(source, pathToFileURL(importer)));
    if (!path.startsWith(`${ROOT}src/`) && !path.startsWith(`${ROOT}migrations/`)) return null;
    if (!existsSync(path.replace(/js$/, 'ts'))) return null;
    return { id: `${ROOT}dist/${path.slice(ROOT.length)}`, external: true };
  },
};

/** What takes longest, most of it waiting: begun first, so that it does not stand alone at the end. */
const LONG = ['faults/', 'journey/', 'start/server', 'commands/', 'worker/', 'cycle/politeness', 'job/lease-store'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((part) => moduleId.includes(`/test/${part}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Whether ORBWEAVER_TEST_DATABASE_URL (test/support/cluster.ts) names a Citus cluster. */
async function isCluster(url: string | undefined): Promise<boolean> {
  if (!url) return false;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select to_regclass('pg_dist_node') is not null as citus`);
  await client.end();
  return rows[0].citus;
}

export default defineConfig(async () => ({
  plugins: [built],
  test: {
    include: ['test/**/*.spec.ts'],
    // Plans and catalogs are looked at as those of one node are.
    exclude: (await isCluster(process.env['ORBWEAVER_TEST_DATABASE_URL'])) ? ['test/plans/**'] : [],
    reporters: ['default', new LeftOutReporter()],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Failures are told by the lines of the sources. `--enable-source-maps` would read the maps of all packages, in each of 300 processes.
    execArgv: [
      `--import=data:text/javascript,import{setSourceMapsSupport as on}from'node:module';on(true,{nodeModules:false})`,
    ],
    server: { deps: { external: [/\/dist\/(src|migrations)\//] } },
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
}));
