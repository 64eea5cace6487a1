import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FailedNowReporter } from './test/support/failed-now.js';
import { LeftOutReporter } from './test/support/left-out.js';

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
 * `test/support/build.ts` sees to it that it is not older than the sources. Packages that the program has in files of its own
 * (scripts/bundle-dependencies.mjs) are these for the tests, too: a class is there once.
 */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer) return null;
    const bundled = `${ROOT}dist/node_modules/${source}/index.js`;
    if (/^[@\w]/.test(source) && existsSync(bundled)) return { id: bundled, external: true };
    if (!/^\.\.?\/.*\.js$/.test(source)) return null;
    const path = fileURLToPath(new URL(source, pathToFileURL(importer)));
    if (!path.startsWith(`${ROOT}src/`) && !path.startsWith(`${ROOT}migrations/`)) return null;
    if (!existsSync(path.replace(/js$/, 'ts'))) return null;
    return { id: `${ROOT}dist/${path.slice(ROOT.length)}`, external: true };
  },
};

/** What takes longest, most of it waiting: begun first, so that it does not stand alone at the end. */
const LONG = [
  'faults/chaos',
  'faults/',
  'journey/',
  'start/server',
  'commands/crawl',
  'cycle/politeness',
  'cycle/ssrf',
  'job/lease-store',
  'browser/',
  'commands/',
  'api/bad-input',
  'api/heavy',
  'api/page-stream',
  'cycle/fetch-reads',
  'plugin/index-writers',
  'politeness/robots-cache',
  'politeness/robots-hops',
  'cycle/slow-hosts',
  'plans/new-crawl',
];

/** By project, since a process serves one; those in a process of their own first, then as `LONG` has it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = LONG.findIndex((part) => moduleId.includes(`/test/${part}`));
      return (project.config.isolate ? 0 : LONG.length + 1) + (at < 0 ? LONG.length : at);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * What changes the process for all who come after and cannot be undone: plugins that are loaded, properties that are added, mocks of
 * modules, clocks. What can be undone - spies, variables, fault points, functions of Node - test/support/setup.ts undoes or checks.
 */
const OWN_PROCESS =
  /\b(?:startPlugins|addPlugins|addProperties)\(|\/outside\.js'|\bvi\.(?:mock|doMock|hoisted|stubGlobal|useFakeTimers)\(|process\.(?:on|chdir)\(|\bglobalThis\.\w+ = /;
const specs = globSync('test/**/*.spec.ts', { cwd: ROOT });
const deep = specs.filter((path) => path.endsWith('.deep.spec.ts'));
const alone = specs.filter((path) => OWN_PROCESS.test(readFileSync(ROOT + path, 'utf8')));
const isDeep = (path: string): boolean => deep.includes(path);

/** Whether ORBWEAVER_TEST_DATABASE_URL (test/support/cluster.ts) names a Citus cluster. */
async function isCluster(url: string | undefined): Promise<boolean> {
  if (!url) return false;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select to_regclass('pg_dist_node') is not null as citus`);
  await client.end();
  return rows[0].citus;
}

export default defineConfig(async () => {
  // Plans and catalogs are looked at as those of one node are.
  const exclude = (await isCluster(process.env['ORBWEAVER_TEST_DATABASE_URL'])) ? ['test/plans/**'] : [];
  const project = (
    name: string,
    own: {
      include: string[];
      exclude?: string[];
      isolate?: boolean;
      maxWorkers: number;
      sequence: { groupOrder: number };
      provide: { patienceMs: number; boundMs: number };
    },
  ) => ({
    extends: true as const,
    test: {
      ...own,
      name,
      exclude: [...exclude, ...(own.exclude ?? [])],
      provide: { ...own.provide, sharedProcess: own.isolate === false },
    },
  });
  // What ends a test that hangs: what happens in deep ones has times of its own, such as that of a lease.
  // More spec files at once than cores: many wait for a delay. Deep ones start programs, which need the cores, too.
  const soon = { provide: { patienceMs: 8_000, boundMs: 16_000 }, maxWorkers: 4, sequence: { groupOrder: 0 } };
  const late = { provide: { patienceMs: 60_000, boundMs: 600_000 }, maxWorkers: 3, sequence: { groupOrder: 1 } };
  return {
    plugins: [built],
    test: {
      reporters: ['default', new FailedNowReporter(), new LeftOutReporter()],
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/setup.ts'],
      // Failures are told by the lines of the sources. `--enable-source-maps` would read the maps of all packages, in each of 300 processes.
      execArgv: [
        `--import=data:text/javascript,import{setSourceMapsSupport as on}from'node:module';on(true,{nodeModules:false})`,
      ],
      server: { deps: { external: [/\/dist\/(src|migrations)\//] } },
      pool: 'forks' as const,
      sequence: { sequencer: LongestFirst },
      projects: [
        project('spec', { include: ['test/**/*.spec.ts'], exclude: [...deep, ...alone], isolate: false, ...soon }),
        project('alone', { include: alone.filter((path) => !isDeep(path)), ...soon }),
        project('deep', { include: ['test/**/*.deep.spec.ts'], exclude: alone, isolate: false, ...late }),
        project('deep-alone', { include: alone.filter(isDeep), ...late }),
      ],
    },
  };
});
