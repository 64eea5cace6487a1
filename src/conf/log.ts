/**
 * The log: one line per event, whatever a stranger put into it.
 *
 * A line is JSON: time, level, name (`server`, `api`, `worker`), msg, and what the event is about (job, task, worker,
 * requestId). Control characters, terminal escapes, Unicode's line ends and turns of direction are escaped, passwords in
 * connection strings are not written, and a line is at most 2 KiB: long texts in it are cut. LOG_FORMAT=text writes the
 * same for people. What cannot be written (a full disk) is lost: no work waits for its log.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { isSecret } from './properties.js';

export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogOptions {
  /** Least level that is written; default `info`. */
  readonly level?: string | undefined;
  /** Default: text on a terminal, else JSON. */
  readonly format?: LogFormat | undefined;
  /** What every line has. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Where lines go; default stdout. */
  readonly to?: DestinationStream;
}

/** Logs the life of a server: start, ready and stop at `info`, the default level, and errors above it. */
export type LifeLog = (line: string, level?: 'info' | 'warn' | 'error') => void;

/** Bytes of a line, about: characters are counted, and most are one byte. */
const MAX_LINE_LENGTH = 2_048;
/** To what length texts are cut before passwords are looked for: far beyond what is shown, so that no password is cut within that. */
const MAX_TEXT_LENGTH = 16_384;
/** To what length texts in a line are cut that is too long; the first that makes it fit. */
const CUTS = [600, 200, 60, 20];
/** Members of an event that are shown when even short texts are too many. */
const FEW_MEMBERS = 16;
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/**
 * Passwords in URLs: of databases up to the last @, since nobody may have encoded them; of pages a path may hold one. The first
 * takes whatever follows, so that a text without an @ is read once.
 */
const DATABASE_URL = /(postgres(?:ql)?:\/\/[^:@/\s"]*:)((?:\\.|[^\s"\\])*)/gi;
const PASSWORDS = [
  /(:\/\/[^:@/\s"]*:)[^@/\s"]+(?=@)/g,
  // A backslash is that of JSON: one before a quote keeps the text from ending there.
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

/** How deep members of an event are looked for secrets. */
const DEEPEST = 8;

/** An event without what configurations would mask: members are named as properties and arguments are. */
function withoutSecrets(event: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    if (!isPlain(value)) return value;
    return depth < DEEPEST ? withoutSecrets(value, depth + 1) : {};
  };
  return Object.fromEntries(
    Object.entries(event).flatMap(([name, value]) => (isSecret(name) ? [] : [[name, inner(value)]])),
  );
}

/** Errors, requests and the like have serializers of their own. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Written at once: what cannot be written would else be tried again for ever when the process is to end, or pile up. */
function stdout(): DestinationStream {
  const to = pino.destination({ dest: 1, sync: true, maxLength: 1 << 20 });
  to.on('error', () => undefined);
  return to;
}

/** A line of the log as it is written: bounded, and without anything that a terminal or a reader of lines would obey. */
function jsonLine(line: string): string {
  const short = line.length > MAX_LINE_LENGTH ? `${JSON.stringify(bounded(line))}\n` : line;
  return withoutPasswords(short).replaceAll(UNSAFE, escaped);
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
  return `${whole.replaceAll('\\"', '"').replaceAll(UNSAFE, escaped)}\n`;
}

/** The event of a line, its texts cut until it fits: without passwords, of which a cut may leave what no longer looks like one. */
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
  if (Array.isArray(value)) return value.slice(0, FEW_MEMBERS).map((one) => shortened(one, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name.slice(0, length), shortened(one, length)]),
  );
}

const withoutPasswords = (line: string): string =>
  PASSWORDS.reduce((text, password) => text.replaceAll(password, '$1***'), line.replaceAll(DATABASE_URL, upToLastAt));

function upToLastAt(whole: string, begin: string, rest: string): string {
  const at = rest.lastIndexOf('@');
  return at < 0 ? whole : `${begin}***${rest.slice(at)}`;
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
