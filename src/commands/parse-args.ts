/** Reads the words of a command by node's parseArgs; an error names the wrong word. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../core/conf/nearest-name.js';
import { PAGE_STATUS_CODES, readStatus, statusName } from '../core/page/page-status.js';
import { StartError } from '../core/start-error.js';
import { usageError } from './exit-codes.js';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** @throws StartError `environment` for an unknown option, one without its value or with an empty one, and an unexpected value */
export function readWords<const O extends Options>(command: string, words: readonly string[], options: O) {
  try {
    const read = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    refuseEmpty(command, read.values);
    return read;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(command, complaint(error as NodeJS.ErrnoException, options));
  }
}

/** The crawl with the empty id exists, and every URL begins with an empty prefix. */
const MAY_BE_EMPTY = ['crawl-id', 'prefix'];

/** The variable of a script that is not set: `--data "$DIR"` would discard what the user wants to keep. */
function refuseEmpty(command: string, values: Readonly<Record<string, unknown>>): void {
  const empty = Object.keys(values).find((name) => values[name] === '' && !MAY_BE_EMPTY.includes(name));
  if (empty !== undefined) throw usageError(command, `--${empty} has an empty value`);
}

function complaint({ code, message }: NodeJS.ErrnoException, options: Options): string {
  const word = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearestName(word.replace(/^-+/, ''), Object.keys(options));
    return `unknown option ${word}${near ? `; did you mean --${near}?` : ''}`;
  }
  return (message.split('\n')[0] ?? message).replace(/\.$/, '').replace(/^Option/, 'option');
}

/** The value of an option as a whole number of at least 1, or undefined if it was not given. */
export function wholeNumber(
  command: string,
  option: string,
  text: string | undefined,
  max = Infinity,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= max) return value;
  const bounds = max === Infinity ? 'from 1' : `from 1 to ${max}`;
  throw usageError(command, `--${option} takes a whole number ${bounds}; given: "${text}"`);
}

/** `key=value` words as an object. */
export function keyValues(command: string, option: string, words: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const equals = word.indexOf('=');
      if (equals < 1) throw usageError(command, `${option} takes key=value; given: "${word}"`);
      return [word.slice(0, equals).trim(), word.slice(equals + 1)];
    }),
  );
}

/** A configuration of the server is used as it is: properties beside it would be ignored. @throws StartError `environment` */
export function refuseTwoConfs(
  command: string,
  options: { 'conf-id'?: string | undefined; conf?: readonly string[] | undefined; agent?: string | undefined },
): void {
  if (options['conf-id'] === undefined) return;
  const beside = options.conf ? '--conf' : options.agent ? '--agent' : undefined;
  if (beside) throw usageError(command, `--conf-id names a configuration as it is; ${beside} does not go with it`);
}

/** Page statuses by name or number, separated by commas: a wrong one is reported before any work is done for it. */
export function pageStatuses(command: string, statuses: string | undefined): string | undefined {
  for (const word of statuses?.split(',') ?? []) {
    if (readStatus(word.trim()) !== null) continue;
    throw usageError(command, `--status takes ${PAGE_STATUS_CODES.map(statusName).join(', ')}; given: "${word}"`);
  }
  return statuses;
}

export function httpUrl(command: string, option: string, text: string): string {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return text;
  const hint = url || /\s/.test(text) ? '' : `; did you mean https://${text}?`;
  throw usageError(command, `${option} must be a URL with http or https; given: "${text}"${hint}`);
}
