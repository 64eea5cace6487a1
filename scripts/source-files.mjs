import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Source files below a folder, parsed, for the checks of this folder. */

/** @returns {{ path: string, source: ts.SourceFile }[]} paths with forward slashes, relative to `root` */
export function sourceFiles(root, folder, extension = '.ts') {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const path = file.slice(root.length + 1).replaceAll('\\', '/');
      return { path, source: ts.createSourceFile(path, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true) };
    });
}

/** Calls `visit` for a node and everything below it. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The text of a string or template literal, `?` standing for interpolated values; undefined for other nodes. */
export function literalText(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('?');
}

/** `path:line` of a node, a form that editors recognize. */
export function positionOf(path, node) {
  const source = node.getSourceFile();
  return `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
}

/** Prints complaints and sets the exit code, at the end of every check. */
export function report(name, complaints) {
  for (const complaint of complaints) console.error(complaint);
  console.log(`${name}: ${complaints.length === 0 ? 'ok' : `${complaints.length} complaints`}`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
