import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkMigrations, countStatements } from '../../scripts/check-migrations.mjs';
import { complaintsOf, tree } from './planted.js';

/** Small trees, each with one fault, and what the check says about it. `npm run lint` checks the layers of this repository. */

describe('the order of the layers', () => {
  it('lets a file import from its own layer and from layers to the left', () => {
    expect(
      complaintsOf({
        'src/core/a.ts': 'export const a = 1;',
        'src/db/b.ts': `import { a } from '../core/a.js'; export const b = a;`,
        'src/db/c.ts': `import { b } from './b.js'; export const c = b;`,
        'src/main.ts': `import { c } from './db/c.js'; await import('./commands/serve.js'); console.log(c);`,
        'src/commands/serve.ts': `import { b } from '../db/b.js'; export const s = b;`,
      }),
    ).toEqual([]);
  });

  it.each([
    ['a value import', `import { b } from '../db/b.js'; export const a = b;`],
    ['a type import', `import type { b } from '../db/b.js'; export type A = typeof b;`],
    ['a re-export beside other code', `export { b } from '../db/b.js'; export const a = 1;`],
    ['an import of a type in place', `export type A = typeof import('../db/b.js').b;`],
    ['an import()', `export const a = () => import('../db/b.js');`],
    ['an import for its effect', `import '../db/b.js'; export const a = 1;`],
  ])('refuses an uphill import: %s', (_, text) => {
    expect(complaintsOf({ 'src/core/a.ts': text, 'src/db/b.ts': 'export const b = 1;' })).toEqual([
      'src/core/a.ts:1: uphill import, core from db (src/db/b.ts)',
    ]);
  });

  it('refuses that api imports worker, though worker stands to its left', () => {
    expect(
      complaintsOf({
        'src/worker/w.ts': 'export const w = 1;',
        'src/api/a.ts': `import { w } from '../worker/w.js'; export const a = w;`,
      }),
    ).toEqual(['src/api/a.ts:1: api and worker meet only in the database (src/worker/w.ts)']);
  });

  it('refuses that a layer imports main or the commands', () => {
    expect(
      complaintsOf({
        'src/api/a.ts': `import { s } from '../commands/s.js'; export const a = s;`,
        'src/commands/s.ts': 'export const s = 1;',
      }),
    ).toEqual(['src/api/a.ts:1: api must not import src/commands/s.ts']);
  });

  it('refuses a layer that src does not have', () => {
    expect(complaintsOf({ 'src/lib/a.ts': 'export const a = 1;' })).toEqual(['src/lib/a.ts: lib is no layer of src']);
    expect(complaintsOf({ 'src/app.module.ts': 'export const a = 1;' })).toHaveLength(1);
  });
});

describe('import cycles', () => {
  it('reports a cycle once, with the whole way', () => {
    expect(
      complaintsOf({
        'src/core/a.ts': `import { b } from './b.js'; export const a = () => b;`,
        'src/core/b.ts': `import { c } from './c.js'; export const b = () => c;`,
        'src/core/c.ts': `import { a } from './a.js'; export const c = () => a;`,
      }),
    ).toEqual(['src/core/a.ts: in an import cycle: src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts']);
  });

  const cycleOf = (path: string, text: string) =>
    complaintsOf({
      [`${path}/a.ts`]: text,
      [`${path}/b.ts`]: `import { type A } from './a.js'; export interface B { a?: A }`,
    });

  it.each([
    ['import type', `import type { B } from './b.js'; export interface A { b: B }`],
    ['type on every name', `import { type B } from './b.js'; export interface A { b: B }`],
  ])('reports a cycle of types: %s', (_, text) => {
    expect(cycleOf('src/core', text)).toEqual([expect.stringContaining('in an import cycle')]);
  });

  it('lets the types of a DOM refer to each other, and no value', () => {
    expect(cycleOf('src/core/tree', `import type { B } from './b.js'; export interface A { b: B }`)).toEqual([]);
    const values = {
      'src/core/tree/a.ts': `import { b } from './b.js'; export const a = () => b;`,
      'src/core/tree/b.ts': `import { a } from './a.js'; export const b = () => a;`,
    };
    expect(complaintsOf(values)).toHaveLength(1);
  });
});

describe('names and barrels', () => {
  it.each([
    'src/core/utils/a.ts',
    'src/core/helpers.ts',
    'src/db/common/a.ts',
    'src/db/misc.ts',
    'src/net/shared/a.ts',
    'src/db/data-manager.ts',
    'src/db/job-manager.ts',
    'src/db/managers/a.ts',
    'src/db/data.ts',
    'src/db/page-data.ts',
    'src/db/pageData.ts',
    'src/db/info.ts',
    'src/db/page-info.ts',
    'src/db/page.info.ts',
    'src/core/url-utils.ts',
    'src/core/shared-words.ts',
  ])('refuses %s', (path) => {
    expect(complaintsOf({ [path]: 'export const a = 1;' })).toEqual([expect.stringContaining('says nothing')]);
  });

  it.each([
    'src/db/data-source.ts',
    'src/db/pooled-data-source.ts',
    'src/db/database.ts',
    'src/db/metadata.ts',
    'src/db/database-clock.ts',
    'src/db/information.ts',
  ])('allows %s', (path) => {
    expect(complaintsOf({ [path]: 'export const a = 1;' })).toEqual([]);
  });

  it('refuses an index.ts and a file that only re-exports', () => {
    expect(
      complaintsOf({
        'src/core/a.ts': 'export const a = 1;',
        'src/core/index.ts': 'export const b = 1;',
        'src/core/all.ts': `export * from './a.js';`,
      }),
    ).toEqual([
      'src/core/all.ts: a barrel; import from the file itself',
      'src/core/index.ts: a barrel; import from the file itself',
    ]);
  });
});

describe('exported names', () => {
  it.each([
    ['two functions', 'export function textOf() {}', 'export const textOf = () => 1;'],
    ['two types', 'export interface textOf {}', 'export type textOf = string;'],
    ['a type and a class', 'export type textOf = string;', 'export class textOf {}'],
    ['a list of exports', 'const textOf = 1; export { textOf };', 'export const textOf = 1;'],
    ['a destructured value', 'export const { textOf } = { textOf: 1 };', 'export const textOf = 1;'],
  ])('refuses a name that two files export: %s', (_, one, other) => {
    expect(complaintsOf({ 'src/core/a.ts': one, 'src/db/b.ts': other })).toEqual([
      expect.stringMatching(/^src\/core\/a\.ts:1: textOf is also exported from src\/db\/b\.ts:1$/),
    ]);
  });

  it.each([
    ['a local name', 'const textOf = 1; export const a = textOf;', 'export const textOf = 1;'],
    ['a re-export', `export { textOf } from '../db/b.js'; export const a = 1;`, 'export const textOf = 1;'],
    ['a type and a value of one file', 'export const textOf = 1; export type textOf = 1;', 'export const b = 1;'],
    ['overloads', 'export function a(): 1; export function a(): unknown { return 1; }', 'export const b = 1;'],
  ])('allows %s', (_, one, other) => {
    const complaints = complaintsOf({ 'src/core/a.ts': one, 'src/db/b.ts': other });
    expect(complaints.filter((line) => !line.includes('uphill'))).toEqual([]);
  });
});

describe('values in statements', () => {
  it.each([
    'export const q = (db, id) => db.query(`select ${id}`);',
    'export const q = (db, id) => rows(db, { text: `delete from crawl where id = ${id}`, values: [] });',
    'export const q = (db, id) => { const text = `update crawl set name = ${id}`; return db.query(text); };',
  ])('refuses "%s" but in the files of own words', (code) => {
    expect(complaintsOf({ 'src/webpage/a.ts': code })).toEqual([
      'src/webpage/a.ts:1: values reach SQL by the tag sql, not by a template',
    ]);
    expect(complaintsOf({ 'src/db/listener.ts': code })).toEqual([]);
  });

  it.each([
    'export const q = (db, id) => db.query(sql`select ${id}`);',
    'export const q = (db) => db.query({ text: `select $1`, values: [1] });',
    'export const rule = (name) => ({ number: 0, text: `${name}: select from the set` });',
  ])('allows "%s"', (code) => {
    expect(complaintsOf({ 'src/webpage/a.ts': code })).toEqual([]);
  });
});

describe('migrations', () => {
  it.each([
    ['select 1', 1],
    ['select 1;', 1],
    ['select 1; select 2', 2],
    [`select ';'`, 1],
    [`select 'it''s; fine'`, 1],
    ['create function f() returns int language sql as $$ select 1; select 2; $$', 1],
    ['do $x$ begin a; b; end $x$; select 1', 2],
    ['select 1 -- first; not second', 1],
    ['select 1 /* a; b */', 1],
    ['comment on table "a;b" is null', 1],
  ])('counts the statements of %s', (text, count) => {
    expect(countStatements(text)).toBe(count);
  });

  it('send one statement per call, in files named by time and words', () => {
    const root = tree({
      'migrations/1763700000000-web-table.ts':
        'export const up = [`create table a (x int)`, `create table b (x int)`];',
      'migrations/1763700000001-two.ts': 'export const up = [`create table c (x int); create table d (x int)`];',
      'migrations/3-Names.ts': 'export const up = [`begin`];',
    });
    expect(checkMigrations(root)).toEqual([
      'migrations/1763700000001-two.ts:1: several statements in one call',
      'migrations/3-Names.ts: a migration is named <13-digit time>-<words>.ts',
      'migrations/3-Names.ts:1: the runner opens the transaction',
    ]);
  });

  it.each([
    ['drop table t', true],
    ['alter table t drop column c', true],
    ['alter table t rename column c to d', true],
    ['alter table t alter column c type bigint', true],
    ['alter table t alter c set not null', true],
    ['alter table t add column c integer not null', true],
    ['alter table t add column c integer not null default 0', false],
    ['alter table t add column c integer', false],
    ['drop index i', false],
    ['alter index i rename to j', false],
  ])('only expand on the way up, so that the release before runs beside them: %s', (statement, refused) => {
    const both = `const down = ['drop table t']; export class M { up = ['${statement}']; down() { return 'drop table u'; } }`;
    const complaints = checkMigrations(tree({ 'migrations/1763700000001-one.ts': both }));
    expect(complaints).toEqual(
      refused ? ['migrations/1763700000001-one.ts:1: takes away what the release before needs'] : [],
    );
  });
});

describe('this repository', () => {
  const root = join(import.meta.dirname, '..', '..');

  it('keeps one statement per call in its migrations', () => expect(checkMigrations(root)).toEqual([]));

  it('has both checks in npm run lint', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { lint: string } };
    expect(scripts.lint).toMatch(/&& node scripts\/check-layers\.mjs && node scripts\/check-migrations\.mjs/);
  });
});
