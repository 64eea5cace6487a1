import { basename, dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { impurities } from './core-purity.mjs';
import { sharedNames } from './exported-names.mjs';
import { literalText, positionOf, report, sourceFiles, walk } from './source-files.mjs';
import { stateWrites } from './state-writes.mjs';

/**
 * Checks the structure of src: a file imports only from its own layer and the layers to its left; there are no import cycles, no
 * barrels, no files with meaningless names; an exported name stands for one thing (exported-names.mjs); `core` is pure
 * (core-purity.mjs); `api` and `worker` share only the database; only src/job writes the tables `job` and `job_task`, and their
 * states in one place (state-writes.mjs); statements get values as parameters. Type imports count like all others.
 */

const LAYERS = [
  'core',
  'net',
  'db',
  'conf',
  'webpage',
  'job',
  'plugin',
  'politeness',
  'search',
  'cycle',
  'worker',
  'api',
  'dashboard',
];
/** These connect the layers and may import all of them. */
const ABOVE_ALL = ['commands', 'main.ts'];
const DRAWERS = /^(utils?|helpers?|common|misc|shared|managers?|data|infos?)$/i;
/** The classes of nodes of a DOM name each other as types: a node has an owner document, and its parent is an element. */
const DOM = /^src\/core\/tree\//;
/** Technical terms in which such a word is meaningful. */
const TERMS = /\bdata-source\b/gi;

/** Files that put internal names and numbers into a statement where parameters are not possible (cursors, LISTEN, roles). */
const OWN_WORDS = [
  'src/cycle/dedup/dedup.sql.ts',
  'src/cycle/generate/candidates.sql.ts',
  'src/db/embedded/embedded.ts',
  'src/db/cursor-rows.ts',
  'src/db/listener.ts',
  'src/webpage/fetch-history.store.ts',
  'src/webpage/planner-statistics.sql.ts',
];
const SQL =
  /^\s*(select|insert|update|delete|merge|with|declare|fetch|move|listen|create|drop|alter|analyze|set|lock|copy)\s/i;

/** @returns {string[]} one line per complaint */
export function checkLayers(root) {
  const files = sourceFiles(root, 'src');
  const known = new Set(files.map(({ path }) => path));
  const imports = files.flatMap(({ path, source }) => importsOf(path, source, known));
  return [
    ...files.flatMap(({ path, source }) => [...nameComplaints(path, source), ...spliced(path, source)]),
    ...sharedNames(files),
    ...stateWrites(files),
    ...files.filter(({ path }) => layerOf(path) === 'core').flatMap(({ path, source }) => impurities(path, source)),
    ...imports.flatMap(orderComplaints),
    ...cycles(imports),
  ];
}

function layerOf(path) {
  return path.split('/')[1];
}

/** Imports between our own files: { from, to, at, typeOnly }. */
function importsOf(path, source, known) {
  const found = [];
  walk(source, (node) => {
    const { specifier, typeOnly } = specifierOf(node);
    if (!specifier?.startsWith('.')) return;
    const to = posix.normalize(posix.join(posix.dirname(path), specifier)).replace(/\.js$/, '.ts');
    if (known.has(to)) found.push({ from: path, to, at: positionOf(path, node), typeOnly });
  });
  return found;
}

/** The module specifier of an import, a re-export or an `import()`, of a value or a type. */
function specifierOf(node) {
  if (ts.isImportDeclaration(node)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node.importClause) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return { specifier: node.moduleSpecifier.text, typeOnly: node.isTypeOnly };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return { specifier: node.arguments[0] && literalText(node.arguments[0]), typeOnly: false };
  }
  if (ts.isImportTypeNode(node)) return { specifier: literalText(node.argument.literal), typeOnly: true };
  return {};
}

/** `import type …`, and imports with `type` before every name: neither exists at run time. */
function isTypeOnly(clause) {
  if (!clause || clause.isTypeOnly) return clause?.isTypeOnly ?? false;
  const names = clause.namedBindings;
  if (clause.name || !names || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

function orderComplaints({ from, to, at }) {
  const [here, there] = [layerOf(from), layerOf(to)];
  if (ABOVE_ALL.includes(here)) return [];
  if (ABOVE_ALL.includes(there)) return [`${at}: ${here} must not import ${to}`];
  if (here === 'api' && there === 'worker') return [`${at}: api and worker meet only in the database (${to})`];
  return LAYERS.indexOf(there) > LAYERS.indexOf(here) ? [`${at}: uphill import, ${here} from ${there} (${to})`] : [];
}

function nameComplaints(path, source) {
  const complaints = [];
  const layer = layerOf(path);
  if (!LAYERS.includes(layer) && !ABOVE_ALL.includes(layer)) complaints.push(`${path}: ${layer} is no layer of src`);
  const words = [...dirname(path).split('/'), basename(path, '.ts')];
  const drawer = words.flatMap(partsOf).find((part) => DRAWERS.test(part));
  if (drawer) complaints.push(`${path}: "${drawer}" says nothing about what is in it`);
  const onlyReExports =
    source.statements.length > 0 &&
    source.statements.every((statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier);
  if (basename(path) === 'index.ts' || onlyReExports) complaints.push(`${path}: a barrel; import from the file itself`);
  return complaints;
}

/** The words of a name, without the technical terms. */
const partsOf = (name) => name.replaceAll(TERMS, '').split(/[-._]|(?<=[a-z])(?=[A-Z])/);

/** Untagged templates with values that are SQL by their first word and are passed to `query(`, or are the `text` of a statement. */
function spliced(path, source) {
  if (OWN_WORDS.includes(path)) return [];
  const complaints = [];
  walk(source, (node) => {
    if (!ts.isTemplateExpression(node)) return;
    const { parent } = node;
    const isQuery =
      ts.isCallExpression(parent) &&
      parent.arguments[0] === node &&
      /\.(query|unsafe)$/.test(parent.expression.getText());
    const isText =
      ts.isPropertyAssignment(parent) && parent.name.getText() === 'text' && SQL.test(literalText(node) ?? '');
    const isNamed =
      ts.isVariableDeclaration(parent) && SQL.test(node.head.text) && /\s(from|into|set)\s/i.test(literalText(node));
    if (isQuery || isText || isNamed)
      complaints.push(`${positionOf(path, node)}: values reach SQL by the tag sql, not by a template`);
  });
  return complaints;
}

/** Import cycles; each is reported once, from its first file. */
function cycles(imports) {
  const targets = new Map();
  for (const { from, to, typeOnly } of imports) {
    if (!typeOnly || !DOM.test(from)) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const reported = new Set();
  const complaints = [];
  for (const start of [...targets.keys()].sort()) {
    const way = reported.has(start) ? undefined : wayBack(start, targets);
    if (!way) continue;
    way.forEach((file) => reported.add(file));
    complaints.push(`${start}: in an import cycle: ${[...way, start].join(' -> ')}`);
  }
  return complaints;
}

/** The shortest path from a file back to itself, by breadth-first search. */
function wayBack(start, targets) {
  const cameFrom = new Map();
  const queue = [start];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const next of targets.get(file) ?? []) {
      if (next === start) {
        const way = [file];
        while (way[0] !== start) way.unshift(cameFrom.get(way[0]));
        return way;
      }
      if (!cameFrom.has(next)) queue.push(next);
      if (!cameFrom.has(next)) cameFrom.set(next, file);
    }
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  report('layers', checkLayers(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)))));
}
