import ts from 'typescript';
import { positionOf } from './source-files.mjs';

/** Checks that an exported name stands for one thing: no two files of src export the same name. Re-exports do not count. */

/** @returns {string[]} one line per name */
export function sharedNames(files) {
  const places = new Map();
  for (const { path, source } of files) {
    // A name may be a type and a value in one file, and functions have overloads.
    const own = new Map(exportsOf(source).map((name) => [name.text, name]));
    for (const [text, name] of own) places.set(text, [...(places.get(text) ?? []), positionOf(path, name)]);
  }
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([text, [first, ...others]]) => `${first}: ${text} is also exported from ${others.join(', ')}`);
}

/** The identifiers that a file exports under the names by which it declares them. */
function exportsOf(source) {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return listed(statement);
    if (!ts.canHaveModifiers(statement) || !isExported(statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
    return statement.name ? [statement.name] : [];
  });
}

const isExported = (statement) =>
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

const listed = ({ exportClause, moduleSpecifier }) =>
  moduleSpecifier || !exportClause ? [] : exportClause.elements.map(({ name }) => name);

const bound = (name) => (ts.isIdentifier(name) ? [name] : name.elements.flatMap((element) => bound(element.name)));
