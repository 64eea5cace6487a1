/**
 * Joins the modules of the program into some 50 files. The compiler writes one file for each source, below dist/compiled; a process
 * would spend half of its start on finding, reading and linking 700 of them. Modules that the same programs load are joined in a file of
 * dist/.program. At the path of each module, below dist/src, is a file that exports its names from there: whichever way a module is
 * imported, by path or by another module, a process has it once.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNodeHttp, isStemmer, nodeHttp, stemmers } from './deferred-modules.mjs';

const FILE = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const COMPILED = join(DIST, 'compiled');
const JOINED = '.program';
const STAMP = join(DIST, JOINED, '.stamp');

const names = globSync('**/*.js', { cwd: COMPILED })
  // A source that is no longer there may have left its file.
  .filter((name) => existsSync(join(ROOT, name.replace(/js$/, 'ts'))))
  .sort();
const digest = digestOf();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) await bundle();

/** Digest of what the result depends on. Times and sizes of 900 files are read faster than their contents. */
function digestOf() {
  const hash = createHash('sha256')
    .update(readFileSync(FILE))
    .update(readFileSync(new URL('deferred-modules.mjs', import.meta.url)))
    .update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const name of names) {
    const { mtimeMs, size } = statSync(join(COMPILED, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

async function bundle() {
  // Imported here, so that a run without changes does not load it.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name.replace(/\.js$/, ''), join(COMPILED, name)])),
    cwd: ROOT,
    platform: 'node',
    external: (id) => /^[^./\0]/.test(id) && !isNodeHttp(id) && !isStemmer(id),
    treeshake: false,
    // Each input exports its names from its own path; a joined file also exports what others need of it.
    preserveEntrySignatures: 'allow-extension',
    plugins: [nodeHttp, stemmers, { name: 'compiled', load: loadCompiled }],
    onLog: (level, { message }) => level === 'error' && process.stderr.write(`${message}\n`),
  });
  let groups;
  const { output } = await build.generate({
    format: 'esm',
    // Nest, TypeORM and errors depend on class names.
    keepNames: true,
    // Each process holds the text of what it loads.
    comments: { annotation: false, jsdoc: false, legal: true },
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: `${JOINED}/[name].js`,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'programs', name: (id, context) => (groups ??= groupsOf(context)).get(id) ?? null }],
    },
  });
  writeAll(output);
}

/**
 * The module of an id, with its source map. `import.meta.url` remains the URL of the module; the columns that the map has behind it in
 * that line are those of before.
 */
function loadCompiled(id) {
  if (!id.startsWith(COMPILED + sep)) return null;
  const url = `new URL('../${relative(COMPILED, id).replaceAll(sep, '/')}', import.meta.url).href`;
  const code = readFileSync(id, 'utf8').replaceAll(/\bimport\.meta\.url\b/g, url);
  return { code, map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
}

/**
 * The name of the joined file of each module: modules that the same ones of `first` reach are in one. A module that no other imports,
 * such as a program, is none of them: it remains at its path and runs there.
 */
function groupsOf(context) {
  const infos = new Map();
  const visit = (id) => {
    const info = infos.has(id) ? null : context.getModuleInfo(id);
    if (!info || !/^[/\\]|^\w:/.test(id)) return;
    infos.set(id, info);
    for (const imported of [...info.importedIds, ...info.dynamicallyImportedIds]) visit(imported);
  };
  for (const name of names) visit(join(COMPILED, name));
  const alone = [...infos].filter(([, { importers }]) => importers.length === 0).map(([id]) => id);
  const onDemand = [...infos.values()].flatMap(({ dynamicallyImportedIds }) => dynamicallyImportedIds);
  const first = new Set([...alone, ...onDemand]);
  const reachedBy = new Map([...infos.keys()].map((id) => [id, []]));
  for (const [number, one] of [...first].entries()) {
    for (const id of reachable(one, infos)) reachedBy.get(id).push(number);
  }
  const numbers = new Map();
  const nameOf = (reached) => {
    if (!numbers.has(reached)) numbers.set(reached, numbers.size + 1);
    return `modules-${numbers.get(reached)}`;
  };
  for (const id of alone) reachedBy.delete(id);
  return new Map([...reachedBy].map(([id, reached]) => [id, nameOf(reached.join())]));
}

/** A module and all that it imports, but for what it loads on demand. */
function reachable(from, infos) {
  const found = new Set();
  const left = [from];
  while (left.length > 0) {
    const id = left.pop();
    if (found.has(id) || !infos.has(id)) continue;
    found.add(id);
    left.push(...infos.get(id).importedIds);
  }
  return found;
}

/** Writes the files that differ, and removes joined ones of an earlier build. */
function writeAll(output) {
  rmSync(STAMP, { force: true });
  const joined = new Set();
  for (const { fileName, code, source } of output) {
    const path = join(DIST, fileName);
    if (dirname(fileName) === JOINED) joined.add(path);
    const text = code ?? source;
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const name of readdirSync(join(DIST, JOINED))) {
    if (!joined.has(join(DIST, JOINED, name))) rmSync(join(DIST, JOINED, name));
  }
  writeFileSync(STAMP, digest);
}
