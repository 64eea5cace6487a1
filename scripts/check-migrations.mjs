import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { literalText, positionOf, report, sourceFiles, walk } from './source-files.mjs';

/**
 * Migrations send one statement per call: several in one string run in one implicit transaction, in which
 * CREATE INDEX CONCURRENTLY and Citus' distributed DDL are not allowed, and an error does not show which statement failed.
 *
 * `up` only expands: the previous release runs beside the new one. So nothing that it reads or writes is dropped, renamed, gets
 * another type, or becomes a required value that it does not provide.
 */

const STATEMENT =
  /^\s*(create|alter|drop|insert|update|delete|grant|revoke|comment|select|with|do|set|analyze|truncate|begin|commit)\b/i;
const TAKES_AWAY = [
  /^\s*drop\s+(table|view|schema|type|function|sequence)\b/i,
  /^\s*alter\s+table\b[^]*\bdrop\s+column\b/i,
  /^\s*alter\s+(table|view)\b[^]*\brename\b/i,
  /^\s*alter\s+table\b[^]*\balter\s+(column\s+)?\w+\s+((set\s+data\s+)?type|set\s+not\s+null|drop\s+default)\b/i,
  /^\s*alter\s+table\b(?![^]*\bdefault\b)[^]*\badd\s+column\b[^]*\bnot\s+null\b/i,
];
const NAME = /^migrations\/\d{13}-[a-z0-9]+(-[a-z0-9]+)*\.ts$/;

/** @returns {string[]} one line per complaint */
export function checkMigrations(root) {
  return sourceFiles(root, 'migrations').flatMap(({ path, source }) => {
    const complaints = NAME.test(path) ? [] : [`${path}: a migration is named <13-digit time>-<words>.ts`];
    walk(source, (node) => {
      const text = literalText(node);
      if (!text || !STATEMENT.test(text)) return;
      if (/^\s*(begin|commit)\b/i.test(text))
        complaints.push(`${positionOf(path, node)}: the runner opens the transaction`);
      if (!isDown(node) && TAKES_AWAY.some((kind) => kind.test(text)))
        complaints.push(`${positionOf(path, node)}: takes away what the release before needs`);
      if (countStatements(text) > 1) complaints.push(`${positionOf(path, node)}: several statements in one call`);
    });
    return complaints;
  });
}

/** Whether a text belongs to `down`: a list or a method of that name. */
function isDown(node) {
  for (let at = node.parent; at; at = at.parent) if (at.name?.text === 'down') return true;
  return false;
}

/** Statements in a text, separated by semicolons outside of quotes, dollar quotes and comments. */
export function countStatements(text) {
  const bare = text.replace(/\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\//g, (match) =>
    /^(--|\/\*)/.test(match) ? ' ' : 'x',
  );
  return bare.split(';').filter((part) => part.trim()).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  report('migrations', checkMigrations(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)))));
}
