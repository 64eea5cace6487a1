/**
 * How the program talks to PostgreSQL on its hot paths.
 *
 * A statement is a value: its text with `$n` for every interpolated value, so no input ever becomes SQL text.
 * `rows` and `count` run it on a pool or inside a transaction and return one type, whatever the kind of statement.
 * TypeORM reads and writes small tables by their entities, and runs migrations; both ways share one pool
 * (pooled-data-source.ts).
 */
import type { Pool, PoolClient, QueryResult } from 'pg';
import { jsonbArray, textArray } from './arrays.js';
import { startOf } from '../core/text-start.js';
import { hasSqlState } from './sql-state.js';

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** A pool or one connection of it: anything that can run a statement. */
export interface Sql {
  query(statement: { text: string; values: unknown[]; name?: string }): Promise<QueryResult>;
}

/** Text that is inserted into a statement unchanged: only made here, from literals of our own source. */
class Fragment {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

export type { Fragment };

/** Text and values to be inserted into a larger statement; its values become parameters there. */
export const fragment = (strings: TemplateStringsArray, ...values: unknown[]): Fragment =>
  new Fragment(strings, values);

/**
 * A name of ours, such as a state, as a literal: a partial index can be used by a statement with a literal, not with a parameter.
 * Throws for anything but capital letters.
 */
export const literal = (word: string): Fragment => literalText(`'${named(word)}'`);

/** Such names as a list, for `in`. */
export const literals = (words: readonly string[]): Fragment =>
  literalText(`(${words.map((word) => `'${named(word)}'`).join(', ')})`);

/** A whole number of ours, such as the code of a status, as a literal. */
export const numberLiteral = (code: number): Fragment => literalText(`${whole(code)}`);

/** Such numbers as a list, for `in`. */
export const numberLiterals = (codes: readonly number[]): Fragment => literalText(`(${codes.map(whole).join(', ')})`);

function whole(code: number): number {
  if (!Number.isSafeInteger(code)) throw new Error(`not a whole number: ${code}`);
  return code;
}

/** A name of a column, or of rows, of our own source. */
export function identifier(name: string): Fragment {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`not a name of a column or of rows: ${JSON.stringify(name)}`);
  return literalText(name);
}

const literalText = (text: string): Fragment => new Fragment([text], []);

function named(word: string): string {
  if (!/^[A-Z]+$/.test(word)) throw new Error(`not a word of capital letters: ${JSON.stringify(word)}`);
  return word;
}

type Divider = ', ' | ' + ' | ' and ' | ' or ' | ' ' | ' union all ';

/** Fragments, one after the other. */
export const joined = (fragments: readonly Fragment[], divider: Divider): Fragment =>
  new Fragment(['', ...fragments.slice(1).map(() => divider), ''], fragments);

/** A condition with a value; undefined without the value. */
export const ifGiven = <T>(value: T | null | undefined, condition: (value: T) => Fragment): Fragment | undefined =>
  value === null || value === undefined ? undefined : condition(value);

/** All of some conditions, for `where`; those that are undefined are left out. */
export function allOf(conditions: readonly (Fragment | undefined)[]): Fragment {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? literalText('true') : joined(present, ' and ');
}

/** A statement: every interpolated value becomes a parameter, a `fragment` becomes text. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  const out: { text: string; values: unknown[] } = { text: '', values: [] };
  append(out, strings, values);
  return out;
}

function append(
  out: { text: string; values: unknown[] },
  strings: readonly string[],
  values: readonly unknown[],
): void {
  strings.forEach((text, i) => {
    out.text += text;
    if (i >= values.length) return;
    const value = values[i];
    if (value instanceof Fragment) append(out, value.strings, value.values);
    else out.text += `$${out.values.push(Array.isArray(value) ? arrayAs(strings[i + 1], value) : value)}`;
  });
}

/** An array of texts in PostgreSQL's binary format, if its type follows in the statement; `pg` writes others as text. */
function arrayAs(behind: string | undefined, values: unknown[]): unknown {
  const write = behind?.startsWith('::text[]') ? textArray : behind?.startsWith('::jsonb[]') ? jsonbArray : undefined;
  return write && values.every(isTextOrNull) ? write(values) : values;
}

const isTextOrNull = (value: unknown): value is string | null | undefined => value == null || typeof value === 'string';

/** Names of prepared statements, by their text: few, as texts are made of literals of our source. */
const names = new Map<string, string>();

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `s${names.size}`));
  return name;
}

/**
 * Runs statements as prepared ones: a connection parses each once, and after five times keeps one plan for any values, until the
 * statistics of a table change. For statements that are sent again and again and reach rows by keys, so that there is one
 * good plan: parsing and planning them costs as much as executing them for a few pages.
 */
export const prepared = (db: Sql): Sql => ({
  query: ({ text, values }) => db.query({ name: statementName(text), text, values }),
});

/** Runs the statement that is written after it. */
type Runs<R> = (strings: TemplateStringsArray, ...values: unknown[]) => Promise<R>;

function run<R>(db: Sql, statement: Statement | undefined, read: (result: QueryResult) => R): Runs<R> | Promise<R> {
  const ask = async (query: Statement): Promise<R> => read(await db.query(query));
  return statement === undefined ? (strings, ...values) => ask(sql(strings, ...values)) : ask(statement);
}

/** The rows that a statement returns: ``rows<T>(db)`select …` ``, or of a statement that was made before. */
export function rows<T>(db: Sql): Runs<T[]>;
export function rows<T>(db: Sql, statement: Statement): Promise<T[]>;
export function rows<T>(db: Sql, statement?: Statement): Runs<T[]> | Promise<T[]> {
  return run(db, statement, (result) => result.rows as T[]);
}

/** The first row, or undefined. */
export function row<T>(db: Sql): Runs<T | undefined>;
export function row<T>(db: Sql, statement: Statement): Promise<T | undefined>;
export function row<T>(db: Sql, statement?: Statement): Runs<T | undefined> | Promise<T | undefined> {
  return run(db, statement, (result) => result.rows[0] as T | undefined);
}

/** The number of rows that a statement touched. */
export function count(db: Sql): Runs<number>;
export function count(db: Sql, statement: Statement): Promise<number>;
export function count(db: Sql, statement?: Statement): Runs<number> | Promise<number> {
  return run(db, statement, (result) => result.rowCount ?? 0);
}

/** The clock of the database: when the transaction began. */
export const databaseNow = async (db: Sql): Promise<Date> => (await row<{ now: Date }>(db)`select now() as now`)!.now;

type LastWork<T> = (tx: Sql, all: T[]) => Promise<void>;
/** The work that open transactions still have to do right before they commit, and its arguments. */
const lastWork = new WeakMap<Sql, Map<LastWork<never>, unknown[]>>();

/**
 * Defers `item` until `db` is about to commit, when everything else is done: then `work` gets, in one call, all that
 * was deferred for it. Returns false, and defers nothing, if `db` is no transaction that `transaction` opened.
 */
export function beforeCommit<T>(db: Sql, work: LastWork<T>, item: T): boolean {
  const left = lastWork.get(db);
  if (left === undefined) return false;
  const items = left.get(work);
  if (items) items.push(item);
  else left.set(work, [item]);
  return true;
}

/** A statement that does nothing: PostgreSQL ends a transaction that is idle for 30 s. Lets other work run, too. */
export async function keepAlive(tx: Sql): Promise<void> {
  await tx.query(sql`select`);
}

/** Begins a transaction with one snapshot of the database, however many statements it has. */
export const ONE_INSTANT = 'begin isolation level repeatable read read only';

/** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
export async function transaction<T>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<T>,
  begin: 'begin' | typeof ONE_INSTANT = 'begin',
): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements would end the process; the next statement fails and throws.
  const onError = (error: Error): void => void (broken = error);
  tx.on('error', onError);
  try {
    await tx.query(begin);
    const left = new Map<LastWork<never>, unknown[]>();
    lastWork.set(tx, left);
    const result = await work(tx);
    lastWork.delete(tx);
    for (const [last, items] of left) await last(tx, items as never[]);
    await tx.query('commit');
    return result;
  } catch (error) {
    await tx.query('rollback').catch((lost: Error) => (broken = lost));
    // The server has become read-only: the next connection may reach the one that is not.
    if (hasSqlState(error, 'READ_ONLY')) broken ??= error as Error;
    throw error;
  } finally {
    lastWork.delete(tx);
    tx.off('error', onError);
    tx.release(broken);
  }
}

/**
 * Text that PostgreSQL can store: NUL becomes U+FFFD (22021 and 22P05 otherwise), lone surrogates too
 * (`pg` would replace them silently, and the key stored would differ from the key in memory).
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** At most the first `maxLength` UTF-16 units of a text, storable: a later cut may split a character again. */
export const storableStart = (text: string, maxLength: number): string => storable(startOf(text, maxLength));

/**
 * Such texts, in memory of their own: a substring of a page would keep the whole page alive until it is written, and every
 * garbage collection would copy it.
 */
export function storableTexts(texts: readonly string[]): string[] {
  const joinedTexts = texts.join('\0');
  const stored = joinedTexts.isWellFormed() ? joinedTexts.split('\0') : [];
  return stored.length === texts.length ? stored : texts.map(storable);
}
