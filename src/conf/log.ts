/**
 * The log: one line per event, whatever text it contains.
 *
 * A line is JSON: time, level, name (`server`, `api`, `worker`), msg, and the subject of the event (job, task, worker,
 * requestId). Control characters, terminal escapes, Unicode's line ends and direction marks are escaped, passwords in
 * connection strings are removed, and a line is at most 2 KiB: long texts in it are cut. LOG_FORMAT=text writes the
 * same for people. A line that cannot be written (a full disk) is lost: no work waits for its log.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { isSecret } from '../core/conf/properties.js';
import { jsonEscape } from '../core/json-text.js';

export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogOptions {
  /** Lowest level that is written; default `info`. */
  readonly level?: string | undefined;
  /** Default: text on a terminal, else JSON. */
  readonly format?: LogFormat | undefined;
  /** Fields of every line. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Where lines are written; default stdout. */
  readonly to?: DestinationStream;
}

/** Logs the start and end of a server: start, ready and stop at `info`, the default level, and errors above it. */
export type LifeLog = (line: string, level?: 'info' | 'warn' | 'error') => void;

/** Approximate bytes of a line: characters are counted, and most are one byte. */
const MAX_LINE_LENGTH = 2_048;
/** Length to which texts are cut before passwords are searched: far beyond the shown length, so that no shown password is cut. */
const MAX_TEXT_LENGTH = 16_384;
/** Lengths to which texts in a long line are cut; the first that makes it fit is used. */
const CUTS = [600, 200, 60, 20];
/** Members of an event that are shown if it is too long even with short texts. */
const FEW_MEMBERS = 16;
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/**
 * Passwords in URLs: of databases up to the last @, since they may not be encoded; of pages the query may contain one. The first
 * matches whatever follows, so that a text without an @ is read once.
 */
const DATABASE_URL = /(postgres(?:ql)?:\/\/[^:@/\s"]*:)((?:\\.|[^\s"\\])*)/gi;
const PASSWORDS = [
  /(:\/\/[^:@/\s"]*:)[^@/\s"]+(?=@)/g,
  // A backslash is that of JSON: after one, a quote does not end the text.
  /([?&]\w*password=)(?:\\[^"]|[^&\s"\\])*/gi,
];
const SECRETS = ['password', 'secret', 'token', 'authorization', 'err.config', 'err.request', 'err.response'];

export function makeLog(name: string, { level = 'info', format, about = {}, to }: LogOptions = {}): Logger {
  const forPeople = format === 'text' || (format === undefined && process.stdout.isTTY);
  const write = forPeople ? textLine : jsonLine;
  return pino(
    {
      level,
      base: { name, pid: process.pid, ...about },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
      redact: { paths: SECRETS, remove: true },
      hooks: { streamWrite: write },
    },
    to ?? stdout(),
  );
}

/** Depth to which members of an event are searched for secrets. */
const MAX_DEPTH = 8;

/** An event without the values that configurations would mask: members are named like properties and arguments. */
function withoutSecrets(event: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    if (!isPlainObject(value)) return value;
    return depth < MAX_DEPTH ? withoutSecrets(value, depth + 1) : {};
  };
  return Object.fromEntries(
    Object.entries(event).flatMap(([name, value]) => (isSecret(name) ? [] : [[name, inner(value)]])),
  );
}

/** Errors, requests and the like have serializers of their own. */
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Written synchronously: a failing write would else be retried forever when the process is to end, or be buffered. */
function stdout(): DestinationStream {
  const to = pino.destination({ dest: 1, sync: true, maxLength: 1 << 20 });
  to.on('error', () => undefined);
  return to;
}

/** A line of the log as it is written: bounded, and without characters that control a terminal or end a line. */
function jsonLine(line: string): string {
  const short = line.length > MAX_LINE_LENGTH ? `${JSON.stringify(bounded(line))}\n` : line;
  return withoutPasswords(short).replaceAll(UNSAFE, jsonEscape);
}

/** `2026-11-21T15:00:00.000Z WARN worker: lease lost job=k1-… task=17` */
function textLine(line: string): string {
  const { time, level, name, msg, pid: _, ...about } = bounded(line) as Record<string, unknown>;
  const members = Object.entries(about).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = `${String(time)} ${String(level).toUpperCase()} ${String(name)}: ${String(msg ?? '')}${members.join('')}`;
  // As in JSON: one event is one line.
  const whole = withoutPasswords(JSON.stringify(text).slice(1, -1));
  return `${whole.replaceAll('\\"', '"').replaceAll(UNSAFE, jsonEscape)}\n`;
}

/** The event of a line, its texts cut until it fits: without passwords, which a cut could make unrecognizable. */
function bounded(line: string): unknown {
  const whole = JSON.parse(line) as Record<string, unknown>;
  if (line.length <= MAX_LINE_LENGTH) return whole;
  const event: unknown = JSON.parse(withoutPasswords(JSON.stringify(shortened(whole, MAX_TEXT_LENGTH))));
  const cuts = CUTS.map((length) => shortened(event, length));
  const few = Object.fromEntries(Object.entries(shortened(event, CUTS.at(-1)!) as object).slice(0, FEW_MEMBERS));
  return cuts.find((cut) => JSON.stringify(cut).length <= MAX_LINE_LENGTH) ?? few;
}

/** A value with its texts cut; of arrays the first few members. */
function shortened(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? `${value.slice(0, length).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.slice(0, FEW_MEMBERS).map((member) => shortened(member, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.slice(0, length), shortened(member, length)]),
  );
}

const withoutPasswords = (line: string): string =>
  PASSWORDS.reduce((text, password) => text.replaceAll(password, '$1***'), line.replaceAll(DATABASE_URL, upToLastAt));

function upToLastAt(whole: string, begin: string, rest: string): string {
  const at = rest.lastIndexOf('@');
  return at < 0 ? whole : `${begin}***${rest.slice(at)}`;
}
