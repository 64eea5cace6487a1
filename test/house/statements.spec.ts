import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { positionOf, sourceFiles, walk } from '../../scripts/source-files.mjs';

/**
 * Statements introduce themselves: a function that sends SQL says in a sentence what for. And they have a home: a file for
 * them alone (`*.sql.ts`), for those of one call of the API (`*.query.ts`), or a store (`*.store.ts`).
 */

const files = sourceFiles(join(import.meta.dirname, '..', '..'), 'src') as { path: string; source: ts.SourceFile }[];

/** Named functions of a file, and methods of its classes. A route has its description in decorators. */
function functionsOf(source: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [];
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement))
      found.push(...statement.members.filter((one) => ts.isMethodDeclaration(one) && !ts.getDecorators(one)?.length));
    const isArrow =
      ts.isVariableStatement(statement) &&
      statement.declarationList.declarations.some(({ initializer }) => initializer && ts.isArrowFunction(initializer));
    if (isArrow || ts.isFunctionDeclaration(statement)) found.push(statement);
  }
  return found;
}

/** Whether a statement is in it: rows`…`, row`…`, count`…` or sql`…`, but not a fragment of one. */
function sendsSql(node: ts.Node): boolean {
  let found = false;
  walk(node, (one: ts.Node) => {
    found ||= ts.isTaggedTemplateExpression(one) && /^(rows|row|count|sql)\b/.test(one.tag.getText());
  });
  return found;
}

const unexplained = (path: string, source: ts.SourceFile): string[] =>
  functionsOf(source)
    .filter((one) => sendsSql(one) && ts.getJSDocCommentsAndTags(one).length === 0)
    .map((one) => positionOf(path, one));

it('a function that sends SQL has a sentence that says what for', () => {
  const sending = files.flatMap(({ source }) => functionsOf(source).filter(sendsSql));
  expect(sending.length).toBeGreaterThan(300);
  expect(files.flatMap(({ path, source }) => unexplained(path, source))).toEqual([]);
});

it.each([
  ['export const a = (db) => rows(db)`select 1`;', ['a.ts:1']],
  ['/** Reads it. */\nexport const a = (db) => rows(db)`select 1`;', []],
  ['function a(db) { return db.query(sql`select 1`); }', ['a.ts:1']],
  ['const a = () => fragment`key = 1`;', []],
  [
    'class A {\n  /** Reads it. */\n  a() { return row(db)`select 1`; }\n  b() { return row(db)`select 1`; }\n}',
    ['a.ts:4'],
  ],
  ['class A { @Get() a() { return row(db)`select 1`; } }', []],
])('of %j these are found: %j', (text, expected) => {
  expect(unexplained('a.ts', ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true))).toEqual(expected);
});

const HOME = /\.(sql|query|store)\.ts$/;

/** SQL outside of its homes: a tag of db/sql.ts, or a text that is sent. The layer `db` is what sends it. */
function homeless(path: string, source: ts.SourceFile): string[] {
  const found: string[] = [];
  if (HOME.test(path) || path.startsWith('src/db/')) return found;
  walk(source, (node: ts.Node) => {
    const isTagged = ts.isTaggedTemplateExpression(node) && /^(rows|row|count|sql|fragment)\b/.test(node.tag.getText());
    const isText =
      ts.isCallExpression(node) &&
      node.expression.getText().endsWith('.query') &&
      node.arguments[0] !== undefined &&
      (ts.isStringLiteralLike(node.arguments[0]) || ts.isTemplateExpression(node.arguments[0]));
    if (isTagged || isText) found.push(positionOf(path, node));
  });
  return found;
}

it('statements are in files for them', () => {
  expect(files.flatMap(({ path, source }) => homeless(path, source))).toEqual([]);
});

it.each([
  ['src/cycle/a.job.ts', 'rows(db)`select 1`', 1],
  ['src/cycle/a.job.ts', 'tx.query(sql`select 1`)', 1],
  ['src/cycle/a.job.ts', 'fragment`key = 1`', 1],
  ['src/cycle/a.job.ts', `pool.query('select 1')`, 1],
  ['src/cycle/a.job.ts', 'pool.query(`drop table ${name}`)', 1],
  ['src/cycle/a.job.ts', 'reader.query(crawl)', 0],
  ['src/cycle/a.sql.ts', 'rows(db)`select 1`', 0],
  ['src/api/a/a.query.ts', 'rows(db)`select 1`', 0],
  ['src/job/a.store.ts', 'rows(db)`select 1`', 0],
  ['src/db/a.ts', 'rows(db)`select 1`', 0],
])('in %s, of "%s", this many are found: %i', (path, text, n) => {
  const source = ts.createSourceFile(path, `export const a = (db) => ${text};`, ts.ScriptTarget.Latest, true);
  expect(homeless(path, source)).toHaveLength(n);
});
