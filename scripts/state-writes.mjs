import ts from 'typescript';
import { literalText, positionOf, walk } from './source-files.mjs';

/**
 * Checks writes to the tables `job` and `job_task`: only src/job writes them, and each state in one place only, so that it changes
 * only by the transitions of its table. Lists of states are beside that table, too. Statements are read as text; interpolated
 * values are unknown, and may be the name of a table or of a column.
 */

/** The file that changes the state of a table; `once`: in a single statement. */
const HOMES = {
  job: { file: 'src/job/job.store.ts', once: true },
  job_task: { file: 'src/job/task-moves.sql.ts', once: false },
};
/** Other files that write to tables with interpolated names: tables of a crawl, never those of jobs. */
const OTHER_TABLES = ['src/cycle/dropcrawl/dropcrawl.sql.ts'];
const STATE_TABLES = ['src/core/job/job-states.ts', 'src/core/job/task-states.ts'];
const STATES = ['IDLE', 'RUNNING', 'STOPPING', 'KILLING', 'FINISHED', 'FAILED', 'KILLED', 'WAITING', 'DONE'];
const STATE = `'(${STATES.join('|')})'`;
const TWO_STATES = new RegExp(String.raw`${STATE}\s*,\s*${STATE}`);

/** @returns {string[]} one line per complaint about the files of src */
export function stateWrites(files) {
  const complaints = [];
  const changes = { job: 0, job_task: 0 };
  for (const { path, source } of files) {
    walk(source, (node) => {
      if (isStateList(node) && !STATE_TABLES.includes(path))
        complaints.push(`${positionOf(path, node)}: lists of states stand in ${STATE_TABLES.join(' and ')}`);
      const text = literalText(node);
      // Most nodes are not texts.
      for (const write of text === undefined ? [] : writesIn(text)) {
        const complaint = complaintOf(path, write);
        if (complaint) complaints.push(`${positionOf(path, node)}: ${complaint}`);
        else if (setsState(write) && write.table in changes) changes[write.table] += 1;
      }
    });
  }
  for (const [table, { file, once }] of Object.entries(HOMES)) {
    if (!files.some(({ path }) => path === file)) continue;
    if (changes[table] === 0 || (once && changes[table] > 1))
      complaints.push(`${file}: ${changes[table]} statements change ${table}.state, not ${once ? 'one' : 'some'}`);
  }
  return complaints;
}

function complaintOf(path, write) {
  const { table, said } = write;
  const names = table === undefined ? 'a table that may be job' : `the table ${table}`;
  const isOther = table === undefined && OTHER_TABLES.includes(path);
  if (!path.startsWith('src/job/') && !isOther) return `only src/job writes ${names} ("${said}")`;
  const home = HOMES[table]?.file;
  if (setsState(write) && path !== home)
    return `the state of ${names} changes ${home ? `in ${home} only` : 'elsewhere'}`;
  return undefined;
}

/** An interpolated column may be the state. */
const setsState = ({ columns }) => columns.includes('state') || columns.includes('?');

/** Two states in a row, as a list in a statement or as an array. */
function isStateList(node) {
  if (TWO_STATES.test(literalText(node) ?? '')) return true;
  if (!ts.isArrayLiteralExpression(node) || node.elements.length < 2) return false;
  return node.elements.every((element) => STATES.includes(literalText(element)));
}

const TABLE = String.raw`(?:(?:"?public"?|\?)\s*\.\s*)?(?<table>"?(?:job_task|job|\?)"?)(?![\w".])`;
const WRITES = [
  String.raw`\binsert\s+into\s+${TABLE}`,
  String.raw`\bdelete\s+from\s+(?:only\s+)?\(?\s*${TABLE}`,
  String.raw`\bupdate\s+(?:only\s+)?\(?\s*${TABLE}\s*\)?\s*\*?(?:\s*(?:as\s+)?(?!set\b)(?:"[^"]+"|\w+))?\s*\bset\b`,
  String.raw`\bmerge\s+into\s+(?:only\s+)?${TABLE}`,
  String.raw`\btruncate\s+(?:table\s+)?(?:[\w".\s]+,\s*)*(?:only\s+)?${TABLE}`,
  String.raw`\bcopy\s+${TABLE}(?=\s*(?:\([^)]*\)\s*)?from\b)`,
].map((pattern) => new RegExp(pattern, 'gi'));

/**
 * The writes to `job`, `job_task` or an unknown table in a text: { table, said, columns }. `table` is undefined if unknown,
 * `columns` has the names of the columns set, `?` for unknown ones.
 */
function writesIn(text) {
  const bare = text.replace(/'(?:[^']|'')*'|--.*$|\/\*[^]*?\*\//gm, (part) => (part.startsWith("'") ? "''" : ' '));
  return WRITES.flatMap((pattern) =>
    [...bare.matchAll(pattern)].map((found) => {
      const name = found.groups.table.replaceAll('"', '').toLowerCase();
      const [verb] = found[0].toLowerCase().split(/\s/, 1);
      return {
        table: name === '?' ? undefined : name,
        said: found[0].replace(/\s+/g, ' '),
        columns: columnsSet(verb, bare.slice(found.index + found[0].length)),
      };
    }),
  );
}

/** @param rest the text after the name of the table, or after SET */
function columnsSet(verb, rest) {
  if (verb === 'update') return assigned(rest);
  if (verb === 'delete' || verb === 'truncate') return [];
  if (verb !== 'insert') return ['?'];
  const list = /^\s*(?:as\s+\w+\s*)?\(([^)]*)\)/i.exec(rest);
  const merged = /\bon\s+conflict\b[^]*?\bdo\s+update\s+(set\b)?/i.exec(rest);
  const given = list ? list[1].split(',').map(columnName) : ['?'];
  if (!merged) return given;
  return [...given, ...(merged[1] ? assigned(rest.slice(merged.index + merged[0].length)) : ['?'])];
}

const columnName = (text) => text.trim().replaceAll('"', '').toLowerCase();

/** The columns on the left of a SET clause: `a = …, (b, c) = …`, up to the end of the clause. */
function assigned(clause) {
  const columns = [];
  let depth = 0;
  let isStart = true;
  for (const [token] of clause.matchAll(/"[^"]*"|\w+|\S/g)) {
    const isWord = /^["\w?]/.test(token);
    if (depth === 0 && /^(where|from|returning)$/i.test(token)) break;
    if (isWord && isStart) columns.push(columnName(token));
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    if (depth < 0) break;
    // In a list on the left each name counts; to the right of `=` none does.
    if (token === '=') isStart = false;
    else if (token === ',' && depth === 0) isStart = true;
  }
  return columns;
}
