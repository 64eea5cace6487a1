import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';
import { applied, chosen } from '../../scripts/mutants/apply.mjs';
import { faults } from '../../scripts/mutants/faults.mjs';

/** The list of faults that measures the tests (scripts/mutants.mjs) fits the sources as they are. */

const root = join(import.meta.dirname, '..', '..');

/** The names that a program uses or declares, without those of members. */
function namesOf(source: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const { parent } = node;
    const isMember =
      (parent && ts.isPropertyAccessExpression(parent) && parent.name === node) ||
      (parent && ts.isPropertyAssignment(parent) && parent.name === node);
    if (ts.isIdentifier(node) && !isMember) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return names;
}

const wordsOf = (text: string): Set<string> => new Set(text.match(/[\w$]+/g));

const knownNames = new Map<string, Set<string>>();
function knownIn(file: string, source: string): Set<string> {
  const known = knownNames.get(file) ?? namesOf(source);
  knownNames.set(file, known);
  return known;
}

describe('the list of faults', () => {
  it.each(faults.map((fault) => [fault.id, fault] as const))('%s can be planted, and names its specs', (_, fault) => {
    const source = readFileSync(join(root, fault.file), 'utf8');
    expect(applied(fault, source)).not.toBe(source);
    expect(fault.breaks).toMatch(/^\S.*\.$/);
    expect(fault.specs.length).toBeGreaterThan(0);
    expect(fault.specs.filter((spec) => !spec.startsWith('test/') || !existsSync(join(root, spec)))).toEqual([]);
  });

  // A name that the file does not have fails each spec by an error of its own, and says nothing about the fault.
  it('uses no names that the files do not have', () => {
    const unknown = faults.flatMap((fault) => {
      const source = readFileSync(join(root, fault.file), 'utf8');
      const known = knownIn(fault.file, source);
      // Spares a second parse of most files, which takes seconds.
      if (wordsOf(fault.replacement).isSubsetOf(known)) return [];
      const used = [...namesOf(applied(fault, source))].filter((name) => !known.has(name) && !(name in globalThis));
      return used.length > 0 ? [[fault.id, ...used]] : [];
    });
    expect(unknown).toEqual([]);
  });

  it('has each id once, in small letters', () => {
    const ids = faults.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) < at || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  it('has faults in every layer', () => {
    const layers = new Set(faults.map(({ file }) => file.split('/')[1]));
    const all = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...layers].sort()).toEqual(all.map(({ name }) => name).sort());
  });
});

describe('planting', () => {
  const fault = { id: 'x', file: 'src/a.ts', text: 'a > b', replacement: 'a >= $&', breaks: 'It.', specs: ['test/a'] };

  it('inserts the replacement as it is', () => expect(applied(fault, 'if (a > b)')).toBe('if (a >= $&)'));

  it.each(['if (a < b)', 'if (a > b || a > b)', ''])('refuses %j, where the text does not stand once', (source) => {
    expect(() => applied(fault, source)).toThrow(/x: its text stands \d times in src\/a\.ts/);
  });

  it('refuses what changes nothing', () => {
    expect(() => applied({ ...fault, replacement: 'a > b' }, 'a > b')).toThrow('x: changes nothing');
  });

  it.each([
    [{ only: [], file: '' }, ['db-a', 'db-b', 'db']],
    [{ only: ['db'], file: '' }, ['db']],
    [{ only: ['db-'], file: '' }, ['db-a', 'db-b']],
    [{ only: [], file: 'src/b' }, ['db-b']],
  ])('chooses by %j', (by, ids) => {
    const all = [
      { ...fault, id: 'db-a' },
      { ...fault, id: 'db-b', file: 'src/b.ts' },
      { ...fault, id: 'db' },
    ];
    expect(chosen(all, by).map((one: { id: string }) => one.id)).toEqual(ids);
  });
});
