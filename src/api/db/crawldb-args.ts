/** Reads the args of POST /db/crawldb, which 1.x clients send as text: typed, bounded, and refused with their name. */
import { ExpressionError } from '../../core/frontier/expression-tokens.js';
import { type PageTest, compileExpression } from '../../core/frontier/expression.js';
import { factsOf } from '../../core/frontier/page-variables.js';
import { readStatus } from '../../core/page/page-status.js';
import { compileWhole, ruleBudget } from '../../core/url/linear-regex.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { flagOf } from '../../cycle/args.js';
import type { PageRow } from '../../core/page/page-row.js';
import { DUMP_PARTS, type DumpPart, dumpPartNamed } from '../../webpage/segment-parts.sql.js';
import { shown } from '../problem.js';
import { queryRefused } from '../refused-fields.js';
import { unknownArgNotices } from '../request/unknown-arg-notices.js';
import { type DumpFormat, dumpFormats } from '../../core/page/dump-formats.js';

/**
 * Limit for the automata of `regex` and of `expr`: each page of a dump is matched, and a large automaton costs 20 ms and
 * more.
 */
const MAX_INSTRUCTIONS = 5_000;

type Args = Readonly<Record<string, unknown>>;

export const queryTypes = ['stats', 'dump', 'topN', 'url'] as const;
export type QueryType = (typeof queryTypes)[number];

/** Arguments by type; `out_dir`, the folder of a dump on the server of 1.x, has no meaning here and is no mistake. */
const ARGS: Record<QueryType, readonly string[]> = {
  stats: ['sort'],
  dump: ['batch', 'expr', 'format', 'out_dir', 'parts', 'regex', 'retry', 'sample', 'segment', 'status'],
  topN: ['min', 'nnn'],
  url: ['url'],
};

/** Sentences about arguments that the type does not know: without them, a misspelled filter is a dump of all pages. */
export function unusedQueryArgs(type: QueryType, args: Args): string[] {
  const unknown = Object.keys(args).filter((name) => !ARGS[type].includes(name));
  return unknownArgNotices(type, unknown, ARGS[type]);
}

const argRefused = (name: string, why: string) => queryRefused(`args.${name}`, `args.${name} ${why}`);

/** The type, in any letter case. Throws QUERY_INVALID. */
export function typeOf(text: string): QueryType {
  const type = queryTypes.find((name) => name.toLowerCase() === text.toLowerCase());
  if (type === undefined)
    throw queryRefused('type', `type must be one of ${queryTypes.join(', ')}; given: ${shown(text)}`);
  return type;
}

/** A flag, read like those of jobs: present, and not a value that means no. Throws QUERY_INVALID. */
export function isFlagSet(args: Args, name: string): boolean {
  const flag = flagOf(args[name]) ?? false;
  if (typeof flag === 'boolean') return flag;
  throw argRefused(name, `must be a boolean value; given: ${shown(args[name])}`);
}

export interface NumberBounds {
  min: number;
  max: number;
  /** The value when the argument is not given. */
  otherwise: number;
}

/** A number between two bounds, or `otherwise` when the argument is not given. Throws QUERY_INVALID. */
export function numberArg(args: Args, name: string, bounds: NumberBounds): number {
  const number = numberGiven(args[name], bounds.otherwise);
  if (number >= bounds.min && number <= bounds.max) return number;
  throw argRefused(name, `must be a number from ${bounds.min} to ${bounds.max}; given: ${shown(args[name])}`);
}

/** A whole number between two bounds, or `otherwise` when the argument is not given. Throws QUERY_INVALID. */
export function wholeNumberArg(args: Args, name: string, bounds: NumberBounds): number {
  const number = numberArg(args, name, bounds);
  if (Number.isInteger(number)) return number;
  throw argRefused(name, `must be a whole number from ${bounds.min} to ${bounds.max}; given: ${shown(args[name])}`);
}

function numberGiven(value: unknown, otherwise: number): number {
  if (value === undefined || value === null || value === '') return otherwise;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[+-]?[\d.]{1,20}(e[+-]?\d{1,3})?$/i.test(value.trim())
    ? Number(value)
    : Number.NaN;
}

/** A required text. Throws QUERY_INVALID. */
export function requiredTextArg(args: Args, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '' && value.length <= 4_096) return value;
  throw argRefused(name, `must be a text of 1 to 4096 characters; given: ${shown(value)}`);
}

export interface DumpArgs {
  format: DumpFormat;
  status?: number;
  retries?: number;
  /** Only pages of this batch, by its id or its name as a segment. */
  batch?: string;
  /** Parts of that batch instead of its pages. */
  parts?: DumpPart[];
  /** Whether the dump includes a page. */
  keep: (page: PageRow) => boolean;
}

/** The arguments of a dump. Throws QUERY_INVALID. */
export function dumpArgs(args: Args): DumpArgs {
  const format = formatArg(args);
  const retries = wholeNumberArg(args, 'retry', { min: -1, max: 32_767, otherwise: -1 });
  return {
    format,
    status: statusArg(args),
    retries: retries < 0 ? undefined : retries,
    batch: batchArg(args),
    parts: partsArg(args),
    keep: keepArg(args),
  };
}

function formatArg(args: Args): DumpFormat {
  const format = args.format ?? 'normal';
  const known = dumpFormats.find((name) => name === format);
  if (known !== undefined) return known;
  if (format === 'crawldb')
    throw argRefused(
      'format',
      'crawldb is not supported: it is a binary format of Hadoop; use json, which has the same fields',
    );
  throw argRefused('format', `must be one of ${dumpFormats.join(', ')}; given: ${shown(format)}`);
}

function statusArg({ status }: Args): number | undefined {
  if (status === undefined || status === null || status === '') return undefined;
  const code = typeof status === 'string' || typeof status === 'number' ? readStatus(String(status)) : null;
  if (code === null)
    throw argRefused(
      'status',
      `must be the name or code of a page status, such as db_fetched or 2; given: ${shown(status)}`,
    );
  return code;
}

/** `batch`, or `segment` as 1.x clients write it: alone or at the end of a path. */
function batchArg(args: Args): string | undefined {
  const name = isPresent(args.batch) ? 'batch' : 'segment';
  if (!isPresent(args[name])) return undefined;
  const batch = requiredTextArg(args, name).replace(/\/+$/, '').split('/').at(-1);
  if (!batch) throw argRefused(name, `must be a batch id or the name of a segment; given: ${shown(args[name])}`);
  return batch;
}

/** Names separated by commas, or an array; returned in the order in which parts are written. */
function partsArg(args: Args): DumpPart[] | undefined {
  const { parts } = args;
  if (!isPresent(parts)) return undefined;
  const names = typeof parts === 'string' ? parts.split(',').map((name) => name.trim()) : parts;
  const named = Array.isArray(names) ? names.map(dumpPartNamed) : [];
  const known = DUMP_PARTS.filter((part) => named.includes(part));
  if (known.length === 0 || named.includes(undefined))
    throw argRefused(
      'parts',
      `must name parts of a segment, separated by commas: ${DUMP_PARTS.join(', ')}; given: ${shown(parts)}`,
    );
  if (batchArg(args) === undefined) throw argRefused('parts', 'needs args.segment or args.batch');
  if (formatArg(args) !== 'normal') throw argRefused('parts', 'is written in format normal only');
  return known;
}

function keepArg(args: Args): (page: PageRow) => boolean {
  const fraction = numberArg(args, 'sample', { min: 0, max: 1, otherwise: 1 });
  const matches = isPresent(args.regex) ? compileRegex(requiredTextArg(args, 'regex')) : undefined;
  const satisfies = isPresent(args.expr) ? compileExpr(requiredTextArg(args, 'expr')) : undefined;
  return (page) =>
    (matches?.(unreverseUrl(page.key)) ?? true) &&
    (satisfies?.(factsOf(page)) ?? true) &&
    (fraction >= 1 || Math.random() < fraction);
}

const isPresent = (arg: unknown): boolean => arg !== undefined && arg !== null;

/** Compiles an expression in the language of GENERATE's `expr`. */
function compileExpr(source: string): PageTest {
  try {
    return compileExpression(source, MAX_INSTRUCTIONS);
  } catch (error) {
    if (error instanceof ExpressionError) throw argRefused('expr', `is not an expression: ${error.message}`);
    throw error;
  }
}

/** As in Nutch, the expression must match the whole URL; it runs in linear time. */
function compileRegex(source: string): (url: string) => boolean {
  try {
    const whole = compileWhole(source, ruleBudget(MAX_INSTRUCTIONS));
    return (url) => whole.test(url);
  } catch (error) {
    throw argRefused('regex', `is not an expression: ${(error as Error).message}`);
  }
}
