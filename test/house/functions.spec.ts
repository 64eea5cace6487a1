import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { positionOf, sourceFiles, walk } from '../../scripts/source-files.mjs';

/** How large a function may be, and which step of the cycle may know which. Looked up in the syntax tree of src. */

interface File {
  path: string;
  source: ts.SourceFile;
}

const root = join(import.meta.dirname, '..', '..');
const files = sourceFiles(root, 'src') as File[];
/** What browsers run. */
const scripts = sourceFiles(root, 'src', '.js') as File[];

const MAX_LINES = 60;
const MAX_PARAMETERS = 4;
const MAX_NESTING = 3;

/** Functions over a limit, as `path name`, with the reason. A name that is over none any more has to go. */
const EXCEPTIONS: Record<string, string> = {};

/** Why a function is too large: one line for each limit. */
function faultsOf(root: ts.Node, path: string): { name: string; fault: string }[] {
  const found: { name: string; fault: string }[] = [];
  walk(root, (node: ts.Node) => {
    if (!ts.isFunctionLike(node)) return;
    const add = (fault: string) =>
      found.push({ name: `${path} ${nameOf(node)}`, fault: `${positionOf(path, node)}: ${fault}` });
    const lines = linesOf(node);
    if (lines > MAX_LINES) add(`${lines} lines, at most ${MAX_LINES}`);
    const { length } = node.parameters.filter(({ name }) => name.getText() !== 'this');
    if (length > MAX_PARAMETERS && !isInjected(node)) add(`${length} parameters, at most ${MAX_PARAMETERS}`);
    const nesting = depthOf(node);
    if (nesting > MAX_NESTING) add(`${nesting} levels of nesting, at most ${MAX_NESTING}`);
  });
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return `${node.parent.name?.text ?? 'class'}.constructor`;
  const named = node.name ?? (node.parent as { name?: ts.Node } | undefined)?.name;
  return named?.getText() ?? 'function';
}

function linesOf(node: ts.Node): number {
  const source = node.getSourceFile();
  const line = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  return line(node.end) - line(node.getStart(source)) + 1;
}

/** The constructor of a class with a decorator: Nest calls it, and finds what to hand in by the types of its parameters. */
const isInjected = (node: ts.Node): boolean =>
  ts.isConstructorDeclaration(node) && (ts.getDecorators(node.parent as ts.ClassDeclaration)?.length ?? 0) > 0;

const isNesting = (node: ts.Node): boolean =>
  ts.isIterationStatement(node, false) ||
  ts.isIfStatement(node) ||
  ts.isSwitchStatement(node) ||
  ts.isTryStatement(node);

const isElseIf = (node: ts.Node): boolean => ts.isIfStatement(node.parent) && node.parent.elseStatement === node;

/** The levels of loops, conditions, `switch` and `try` below a node; a function inside of it counts by itself. */
function depthOf(node: ts.Node): number {
  let deepest = 0;
  ts.forEachChild(node, (child) => {
    if (ts.isFunctionLike(child)) return;
    const own = isNesting(child) && !isElseIf(child) ? 1 : 0;
    deepest = Math.max(deepest, own + depthOf(child));
  });
  return deepest;
}

describe('functions of src', () => {
  const faults = [...files, ...scripts].flatMap(({ path, source }) => faultsOf(source, path));

  it(`have at most ${MAX_LINES} lines, ${MAX_PARAMETERS} parameters (but for what Nest injects), ${MAX_NESTING} levels of nesting`, () => {
    expect(files.length).toBeGreaterThan(700);
    expect(scripts.length).toBeGreaterThan(20);
    expect(faults.filter(({ name }) => !(name in EXCEPTIONS)).map(({ fault }) => fault)).toEqual([]);
  });

  it('are no longer excepted when they keep the limits', () => {
    expect(Object.keys(EXCEPTIONS).filter((name) => !faults.some((fault) => fault.name === name))).toEqual([]);
  });
});

describe('the limits of functions', () => {
  const faultsIn = (text: string): string[] => {
    const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
    return faultsOf(source, 'a.ts').map(({ fault }) => fault);
  };

  it.each([
    ['a long one', `function f() {\n${'g();\n'.repeat(59)}}`, ['a.ts:1: 61 lines, at most 60']],
    ['one that just fits', `function f() {\n${'g();\n'.repeat(58)}}`, []],
    ['five parameters', 'const f = (a, b, c, d, e) => a;', ['a.ts:1: 5 parameters, at most 4']],
    ['a type with five', 'type F = (a: 1, b: 2, c: 3, d: 4, e: 5) => void;', ['a.ts:1: 5 parameters, at most 4']],
    ['five of a constructor', 'class A { constructor(a, b, c, d, e) {} }', ['a.ts:1: 5 parameters, at most 4']],
    ['five that are injected', '@Injectable() class A { constructor(a, b, c, d, e) {} }', []],
    [
      'four levels',
      'function f() { for (;;) { try { if (a) { while (b) c(); } } finally { d(); } } }',
      ['a.ts:1: 4 levels of nesting, at most 3'],
    ],
    ['a chain of conditions', 'function f() { if (a) b(); else if (c) d(); else if (e) g(); else if (h) i(); }', []],
    ['levels of a function inside', 'function f() { if (a) if (b) c(() => { if (d) for (;;) e(); }); }', []],
  ])('judge %s', (_, text, expected) => expect(faultsIn(text)).toEqual(expected));
});

describe('the steps of the cycle', () => {
  const stepOf = (path: string): string | undefined => /^src\/cycle\/(\w+)\//.exec(path)?.[1];

  /** Which step imports from which, types too. */
  const known = new Map<string, Set<string>>();
  for (const { path, source } of files) {
    const from = stepOf(path);
    if (from === undefined) continue;
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const to = stepOf(posix.join(dirname(path), statement.moduleSpecifier.text));
      if (to !== undefined && to !== from) known.set(from, (known.get(from) ?? new Set()).add(to));
    }
  }

  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(known.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });

  it('do not import each other in a ring: what several of them share stands between them, in src/cycle', () => {
    expect([...(known.get('fetch') ?? [])]).toContain('parse');
    expect([...known.keys()].filter((step) => reaches(step, step))).toEqual([]);
  });

  it('are not imported by what stands between them, but for the tables of all steps and of all entities', () => {
    const between = files.filter(({ path }) => /^src\/cycle\/[^/]+\.ts$/.test(path));
    const importing = between.filter(({ path, source }) =>
      source.statements.some(
        (one) =>
          ts.isImportDeclaration(one) &&
          ts.isStringLiteral(one.moduleSpecifier) &&
          stepOf(posix.join(dirname(path), one.moduleSpecifier.text)) !== undefined,
      ),
    );
    expect(importing.map(({ path }) => path)).toEqual(['src/cycle/entities.ts', 'src/cycle/steps.ts']);
  });
});
