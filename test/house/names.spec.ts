import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { walk } from '../../scripts/source-files.mjs';
import { properties } from '../../src/core/conf/properties.js';
import { namesWithoutMeaning } from '../../src/core/conf/unsupported-properties.js';

/** What documents and comments name is in the tree: files, specs, properties. */

const root = join(import.meta.dirname, '..', '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
const files = String(tracked).trim().split('\n');
const generated = /^(clients\/typescript\/src\/generated|docs\/properties\.md|docs\/data-model\.md)/;

interface Text {
  path: string;
  text: string;
}

/** The example files of CONTRIBUTING.md: each block of code begins with the path of one. */
const examples = [
  ...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/```ts\n *\/\/ (\S+)\n([^]*?)```/g),
].map(([, path, text]) => ({ path: path!, source: ts.createSourceFile(path!, text!, ts.ScriptTarget.Latest, true) }));

/** Documents, and the comments of source files. */
const texts: Text[] = files
  .filter((path) => /\.(md|ts|mjs|js)$/.test(path) && !generated.test(path))
  .map((path) => ({ path, text: wordsOf(path, readFileSync(join(root, path), 'utf8')) }));

function wordsOf(path: string, text: string): string {
  if (path.endsWith('.md')) return text;
  return (text.match(/\/\*\*?[^]*?\*\/|(?<=^\s*)\/\/.*$/gm) ?? []).join('\n');
}

describe('files that documents and comments name', () => {
  const named = /(?<![\w/.:@-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|js|md|tsv)(?![\w/-])/g;
  /** Products, what is built, files of others, and metadata fields, which look like files. */
  const others =
    /^(?:Node|PDF|ipaddr|level3\/xpath|index|dist\/.*|site-rules)\.m?js$|^(?:scoring|index)\.(?:content|parse|db)\.md$/;
  const made = new Set(examples.map(({ path }) => basename(path, '.ts')));

  const isThere = (name: string): boolean => {
    const path = name.replace(/^(?:\.{1,2}\/)+/, '');
    // Imports name a TypeScript file as it will be built.
    const asSource = path.replace(/\.js$/, '.ts');
    return files.some((file) => [path, asSource].some((one) => file === one || file.endsWith(`/${one}`)));
  };

  it('are in the tree', () => {
    const missing = texts.flatMap(({ path, text }) =>
      [...text.matchAll(named)]
        .map(([name]) => name)
        .filter((name) => !others.test(name) && !isThere(name))
        .filter((name) => path !== 'CONTRIBUTING.md' || !made.has(basename(name).replace(/\.[jt]s$/, '')))
        .map((name) => `${path}: ${name}`),
    );
    expect(texts.length).toBeGreaterThan(1_500);
    expect(missing).toEqual([]);
  });

  it('cite clauses of standards by §', () => {
    const spelled = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\bRFC \d+,? sections? \d|\bsection \d+\.\d/gi)].map(([clause]) => `${path}: ${clause}`),
    );
    expect(spelled).toEqual([]);
  });

  it('docs/faults.md names specs by folder and name', () => {
    const rows = readFileSync(join(root, 'docs/faults.md'), 'utf8').matchAll(/^\| .*\|([^|]*)\|$/gm);
    const specs = [...rows].flatMap(([, last]) => last!.match(/\b[a-z]+\/[a-z-]+\b/g) ?? []);
    expect(specs.length).toBeGreaterThan(40);
    const isSpec = (name: string) => files.some((file) => /^test\/(.*?)(\.deep)?\.spec\.ts$/.exec(file)?.[1] === name);
    expect(specs.filter((name) => !isSpec(name))).toEqual([]);
  });
});

describe('properties that documents and comments name', () => {
  const names = [...Object.keys(properties), ...namesWithoutMeaning];
  const groups = new Set(Object.keys(properties).map((name) => name.split('.')[0]));
  /** Columns of tables, fields of results and metadata, and an example. */
  const others = new Set([
    'crawl.dedup_rules',
    'crawl.generate.filter',
    'crawl.id',
    'fetch.beforeCommit',
    'generate.batch.id',
    'generate.segment',
    'http.content.truncated',
    'job.closed_at',
    'job.paused_at',
    'job.state',
    'job.type',
    'sitemap.changefreq',
    'sitemap.lastmod',
    'sitemap.priority',
    'urlfilter.query.parameters.max',
    'webhook.owner',
  ]);

  it('are in the table of properties', () => {
    const missing = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/`([a-z][\w-]*(?:\.[\w-]+)+(?:\.\*)?)(?:=[^`]*)?`/g)]
        .map(([, name]) => name!)
        .filter((name) => groups.has(name.split('.')[0]!) && !/\.(?:[jt]s|mjs|json)$/.test(name))
        .filter((name) => !others.has(name) && !names.some((one) => one === name || isBelow(one, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  /** `link.analyze.*` stands for all properties that begin so. */
  const isBelow = (name: string, pattern: string): boolean =>
    pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
});

it('the examples of CONTRIBUTING.md import what is exported', () => {
  const exported = new Map(examples.map(({ path, source }) => [path, exportsOf(source)]));
  const exportsAt = (path: string): Set<string> | undefined => {
    const file = join(root, path);
    if (!exported.has(path) && existsSync(file))
      exported.set(
        path,
        exportsOf(ts.createSourceFile(path, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)),
      );
    return exported.get(path);
  };
  const missing = examples.flatMap(({ path, source }) =>
    importsOf(path, source)
      .filter(({ from, name }) => !exportsAt(from)?.has(name))
      .map(({ from, name }) => `${path}: ${name} of ${from}`),
  );
  expect(examples.length).toBeGreaterThan(9);
  expect(missing).toEqual([]);
});

function exportsOf(source: ts.SourceFile): Set<string> {
  const names = source.statements
    .filter((one) => ts.canHaveModifiers(one) && ts.getModifiers(one)?.some(({ kind }) => kind === EXPORT))
    .flatMap((one) =>
      ts.isVariableStatement(one)
        ? one.declarationList.declarations.map(({ name }) => name.getText())
        : ((one as ts.DeclarationStatement).name?.text ?? []),
    );
  return new Set(names);
}
const EXPORT = ts.SyntaxKind.ExportKeyword;

/** Names that a file imports from other files of ours. */
function importsOf(path: string, source: ts.SourceFile): { from: string; name: string }[] {
  const found: { from: string; name: string }[] = [];
  walk(source, (node: ts.Node) => {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return;
    const { text } = node.moduleSpecifier;
    const bindings = node.importClause?.namedBindings;
    if (!text.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) return;
    const from = posix.join(posix.dirname(path), text).replace(/\.js$/, '.ts');
    found.push(...bindings.elements.map(({ propertyName, name }) => ({ from, name: (propertyName ?? name).text })));
  });
  return found;
}
