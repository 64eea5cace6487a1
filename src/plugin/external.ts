/**
 * External plugins: files and packages in the folder that PLUGIN_DIR names (Nutch `plugin.folders`).
 *
 * Each process loads them at its start, before it compiles a configuration; nothing is ever loaded over the network.
 * They run with all privileges of the program, so the folder must be protected like the program itself. An invalid
 * plugin aborts the start with a line that names its file and the reason: a crawl without an expected filter would be
 * worse.
 */
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expectExternalPlugins } from '../core/conf/plain-params.js';
import { addProperties, propertyOf } from '../core/conf/properties.js';
import type { Property } from '../core/conf/property.js';
import { StartError } from '../core/start-error.js';
import { withinTime } from '../net/within-time.js';
import { reasonOf } from './error-text.js';
import { guarded } from './external-guard.js';
import { shapePlugins } from './external-shape.js';
import { type ListedPlugin, addPlugins, isBuiltIn, listedPlugins } from './registry.js';

export interface LoadedPlugins {
  readonly plugins: readonly ListedPlugin[];
  readonly properties: Readonly<Record<string, Property<unknown>>>;
}

const MAX_FILES = 1_000;
const LOAD_TIME_MS = 10_000;
const MAX_MANIFEST_LENGTH = 1_048_576;
const MODULE = /\.m?js$/;

/**
 * Loads the plugins of a folder into the table of plugins, and their properties into the table of properties; without
 * a folder it does nothing. `report` receives a line for the log when one of them fails at run time.
 * @throws StartError `plugin`
 */
export async function startPlugins(dir: string | undefined, report: (line: string) => void): Promise<void> {
  if (!dir) return;
  const { plugins, properties } = await loadPlugins(dir, listedPlugins(), report);
  addProperties(properties);
  addPlugins(plugins);
  if (plugins.length > 0) expectExternalPlugins();
}

/**
 * The plugins of a folder, guarded, in the order of their file names.
 * @param known plugins whose ids are taken, and which may be required
 * @throws StartError `plugin`: one line that names the file and the reason
 */
export async function loadPlugins(
  dir: string,
  known: readonly ListedPlugin[],
  report: (line: string) => void,
): Promise<LoadedPlugins> {
  const loaded: Loading = { plugins: [], properties: Object.create(null) };
  for (const { name, path } of await modulesOf(resolve(dir))) {
    const ended = () => reportEnd(name);
    process.once('exit', ended);
    try {
      for (const shaped of shapePlugins(await load(path))) addPlugin(loaded, shaped, { known, report, origin: name });
    } catch (error) {
      throw pluginFileError(name, error);
    } finally {
      process.off('exit', ended);
    }
  }
  checkRequired(loaded.plugins, known);
  return loaded;
}

/** Called when the process ends while a file is loaded, such as by `process.exit(0)`, which looks like a stop. */
function reportEnd(file: string): void {
  const { message, exitCode } = pluginFileError(file, new Error('it ended the process while it was loaded'));
  process.exitCode = exitCode;
  process.stderr.write(`orbweaver: ${message}\n`);
}

interface Loading {
  plugins: ListedPlugin[];
  properties: Record<string, Property<unknown>>;
}

/** Adds a plugin and its properties. Throws where its id or a property exists already. */
function addPlugin(
  { plugins, properties }: Loading,
  { plugin, properties: declared }: ReturnType<typeof shapePlugins>[number],
  { known, report, origin }: { known: readonly ListedPlugin[]; report: (line: string) => void; origin: string },
): void {
  const taken = [...known, ...plugins].find((other) => other.plugin.id === plugin.id);
  if (taken) throw new Error(`the id ${plugin.id} is taken by ${takenBy(taken)}`);
  for (const [name, property] of Object.entries(declared)) {
    if (propertyOf(name) ?? properties[name]) throw new Error(`property ${name} exists already`);
    properties[name] = property;
  }
  plugins.push({ plugin: guarded(plugin, report), origin });
}

const takenBy = (listed: ListedPlugin): string => (isBuiltIn(listed) ? 'a built-in plugin' : listed.origin);

function checkRequired(plugins: readonly ListedPlugin[], known: readonly ListedPlugin[]): void {
  const ids = new Set([...known, ...plugins].map(({ plugin }) => plugin.id));
  for (const { plugin, origin } of plugins) {
    const missing = plugin.requires?.find((id) => !ids.has(id));
    if (missing !== undefined)
      throw pluginFileError(origin, `plugin ${plugin.id} requires ${missing}, which does not exist`);
  }
}

/** The modules of a folder: files, and packages by their entry. Hidden and other files are ignored. */
async function modulesOf(dir: string): Promise<{ name: string; path: string }[]> {
  const names = await readdir(dir).catch((error: Error) => {
    throw new StartError('plugin', `PLUGIN_DIR=${dir} cannot be read: ${error.message}`);
  });
  if (names.length > MAX_FILES) throw new StartError('plugin', `PLUGIN_DIR=${dir} has more than ${MAX_FILES} files`);
  const modules: { name: string; path: string }[] = [];
  for (const name of names.sort()) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    try {
      const path = await moduleOf(join(dir, name), name);
      if (path !== undefined) modules.push({ name, path });
    } catch (error) {
      throw pluginFileError(name, error);
    }
  }
  return modules;
}

async function moduleOf(path: string, name: string): Promise<string | undefined> {
  const file = await stat(path);
  if (file.isFile()) return MODULE.test(name) ? path : undefined;
  if (!file.isDirectory()) return undefined;
  const text = await readFile(join(path, 'package.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A folder that is not a package may contain modules that files beside it import.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : entryOf(path, text);
}

/** The entry of a package: `exports` ("." and the conditions node, import, default), else `main`, else index.js. */
async function entryOf(folder: string, manifest: string): Promise<string> {
  if (manifest.length > MAX_MANIFEST_LENGTH) throw new Error('its package.json is too large');
  const { exports, main } = JSON.parse(manifest) as { exports?: unknown; main?: unknown };
  const entry = exports === undefined ? (main ?? 'index.js') : targetOf(exports, 0);
  if (typeof entry !== 'string') throw new Error('its package.json names no entry: "exports" or "main"');
  const path = await realpath(join(folder, entry)).catch(() => {
    throw new Error(`its package.json names ${entry}, which does not exist`);
  });
  const inside = relative(await realpath(folder), path);
  if (inside.startsWith('..') || inside.startsWith(sep)) throw new Error(`its entry ${entry} is outside of its folder`);
  return path;
}

function targetOf(exports: unknown, depth: number): unknown {
  if (typeof exports !== 'object' || exports === null || depth > 10) return exports;
  const conditions = exports as Record<string, unknown>;
  const chosen = ['.', 'node', 'import', 'default'].find((condition) => Object.hasOwn(conditions, condition));
  return chosen === undefined ? undefined : targetOf(conditions[chosen], depth + 1);
}

/** The default export of a module, even of one that was compiled to CommonJS. */
async function load(path: string): Promise<unknown> {
  const loading = import(pathToFileURL(path).href) as Promise<{ default?: unknown }>;
  const loaded = await withinTime(LOAD_TIME_MS, loading, () => {
    throw new Error(`it did not load within ${LOAD_TIME_MS} ms`);
  });
  const exported = loaded.default as { __esModule?: unknown; default?: unknown } | undefined | null;
  return exported?.__esModule === true ? exported.default : exported;
}

/** The error as one line: Node adds the position of a syntax error in further lines. */
function pluginFileError(file: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const words =
    error instanceof Error
      ? `${error.name === 'SyntaxError' ? 'syntax error: ' : ''}${error.message}`
      : reasonOf(error);
  return new StartError('plugin', `plugin file ${file}: ${words.split('\n')[0]?.slice(0, 500)}`);
}
