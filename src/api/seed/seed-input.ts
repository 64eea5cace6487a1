/**
 * Reads seed lists of requests, without validator classes: a list may have some hundred thousand lines, and a class would
 * create an object for each. Each line is checked here, so that the answer names a bad line, not a job that fails later.
 */
import { type StoredSeedLine } from '../../conf/seed-list.store.js';
import { linesOf } from '../../core/lines.js';
import {
  BLANK_FOR_TAB,
  NO_HOST,
  hasBlankForTab,
  isOfHost,
  parseSeedLine,
  seedLineDoubt,
  whyNoUrl,
} from '../../core/page/seed-line.js';
import { USER_INFO_LEFT_OUT, withoutUserInfo } from '../../core/url/url-credentials.js';
import { hostOfUrl } from '../../core/url/url-components.js';
import { type FieldError, seedListInvalid, shown, withOptions } from '../problem.js';
import { seedListEmpty } from './seed.problems.js';
import { seedListRefused, valueRefused } from '../refused-fields.js';
import { booleanOf } from '../request/boolean-text.js';
import { anId } from '../request/ids.js';

const MAX_LINES = 1_000_000;
const MAX_LINE_LENGTH = 16_384;
const MAX_ERRORS = 10;

export interface AcceptedSeeds {
  lines: StoredSeedLine[];
  /** Sentences about lines that are left out, and about accepted lines that are probably mistakes. */
  notices: string[];
}

export interface SeedInput extends AcceptedSeeds {
  id: number | null;
  name: string;
}

/** Lines that cannot be accepted, or only without their user info: all are counted, the first ones described. */
class LineErrors {
  total = 0;
  readonly errors: FieldError[] = [];
  private readonly withUserInfo: string[] = [];

  add(field: string, why: string, given: unknown): void {
    this.total++;
    if (this.errors.length < MAX_ERRORS)
      this.errors.push({ field, message: `${field} ${why} (given: ${shown(given)})` });
  }

  /** Throws SEED_LIST_INVALID if there are any. */
  refuse(): void {
    if (this.total > 0) throw withOptions(seedListInvalid(`${this.words()}.`), { errors: this.errors });
  }

  /** A line whose user info is left out. */
  addUserInfo(field: string): void {
    this.withUserInfo.push(field);
  }

  /** Sentences about the lines that are left out, and about user info. */
  notices(lines: number): string[] {
    const [first, ...more] = this.withUserInfo;
    const others = more.length > 0 ? ` (so have ${more.length} more)` : '';
    return [
      ...(this.total === 0 ? [] : [`${this.total} of ${lines} seed lines are left out: ${this.words()}.`]),
      ...(first === undefined ? [] : [`${first} ${USER_INFO_LEFT_OUT}${others}.`]),
    ];
  }

  private words(): string {
    const more = this.total - this.errors.length;
    return `${this.errors.map(({ message }) => message).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }
}

/**
 * The seed list of a request body; with `skipInvalid`, without its bad lines. Throws SEED_LIST_EMPTY, SEED_LIST_INVALID,
 * FIELDS_INVALID.
 */
export function readSeedList(body: unknown): SeedInput {
  if (body === undefined || body === null) throw seedListEmpty();
  if (typeof body !== 'object' || Array.isArray(body))
    throw seedListRefused('', 'The body must be a seed list: {"name", "seedUrls": [{"url"}]}');
  const { id, name, seedUrls, skipInvalid } = body as Record<string, unknown>;
  const skips = skipsInvalid(skipInvalid);
  if (!Array.isArray(seedUrls))
    throw seedListRefused('seedUrls', `seedUrls must be an array of {"url": line}; given: ${shown(seedUrls)}`);
  if (seedUrls.length > MAX_LINES)
    throw seedListRefused('seedUrls', `seedUrls has ${seedUrls.length} entries; at most ${MAX_LINES} are accepted`);
  const chosen = name === undefined || name === null || name === '' ? newName() : anId('name', name);
  const read = readLines(seedUrls, (entry, at, lineErrors) => readEntry(entry, `seedUrls[${at}].url`, lineErrors), {
    nameOf: (at) => `seedUrls[${at}].url`,
    skips,
  });
  return { id: idOf(id), name: chosen, ...read };
}

/**
 * The lines of a text of seeds, such as INJECT's inline `seed`. Throws SEED_LIST_INVALID.
 * @param skips whether bad lines are left out
 */
export function readSeedText(text: string, skips: boolean): AcceptedSeeds {
  const texts = linesOf(text);
  if (texts.length > MAX_LINES)
    throw seedListRefused('seed', `seed has ${texts.length} lines; at most ${MAX_LINES} are accepted`);
  const nameOf = (at: number) => `seed, line ${at + 1}`;
  return readLines(texts, (line, at, lineErrors) => accepted({ id: null, line }, nameOf(at), lineErrors), {
    nameOf,
    skips,
  });
}

/** Throws SEED_LIST_INVALID for bad lines; with `skips` only if there is no good one. */
function readLines<E>(
  entries: readonly E[],
  read: (entry: E, at: number, lineErrors: LineErrors) => StoredSeedLine | undefined,
  { nameOf, skips }: { nameOf: (at: number) => string; skips: boolean },
): AcceptedSeeds {
  const lineErrors = new LineErrors();
  const lines: StoredSeedLine[] = [];
  /** Sentences about the first lines that hardly mean what they say. */
  const doubts: string[] = [];
  let doubtful = 0;
  let seeds = 0;
  for (const [at, entry] of entries.entries()) {
    const stored = read(entry, at, lineErrors);
    if (stored === undefined) continue;
    lines.push(stored);
    const seed = parseSeedLine(stored.line);
    if (seed !== null) seeds++;
    const doubt = seed && seedLineDoubt(seed);
    if (doubt === null) continue;
    doubtful++;
    if (doubts.length < MAX_ERRORS) doubts.push(`${nameOf(at)} ${doubt} (given: ${shown(stored.line)}).`);
  }
  if (doubtful > doubts.length) doubts.push(`${doubtful - doubts.length} more lines are doubtful in such a way.`);
  if (!skips || seeds === 0) lineErrors.refuse();
  return { lines, notices: [...lineErrors.notices(entries.length), ...doubts] };
}

/** A name for a list without one. */
export const newName = () => `seed-${Date.now()}-${Math.floor(Math.random() * 1e6)}`;

function readEntry(entry: unknown, field: string, lineErrors: LineErrors): StoredSeedLine | undefined {
  const fields = typeof entry === 'string' ? { url: entry } : ((entry ?? {}) as Record<string, unknown>);
  if (typeof fields.url === 'string')
    return accepted({ id: numberOf(fields.id) ?? null, line: fields.url }, field, lineErrors);
  lineErrors.add(field, 'must be a text', fields.url);
  return undefined;
}

/** Returns the line without user info; if it cannot be accepted, adds a fault and returns undefined. */
function accepted(
  { id, line: text }: StoredSeedLine,
  field: string,
  lineErrors: LineErrors,
): StoredSeedLine | undefined {
  const line = text.length > MAX_LINE_LENGTH ? text : withoutUserInfo(text);
  const why = faultOf(line);
  if (why !== undefined) {
    lineErrors.add(field, why, line);
    return undefined;
  }
  if (line !== text) lineErrors.addUserInfo(field);
  return { id, line };
}

/** Whether a URL has a host without empty labels. Browsers read `http:/a` as `http://a/`; INJECT never does. */
function hasHost(url: string): boolean {
  const host = hostOfUrl(url);
  return host !== '' && !/^\.|\.\./.test(host);
}

/** What is wrong with a seed line, or undefined. Blank lines and comments are valid. */
function faultOf(line: string): string | undefined {
  if (line.length > MAX_LINE_LENGTH) return `is longer than ${MAX_LINE_LENGTH} characters`;
  if (/[\r\n]/.test(line.trim())) return 'is more than one line';
  const seed = parseSeedLine(line);
  if (seed === null) return undefined;
  if (URL.canParse(seed.url)) return isOfHost(seed.url) && !hasHost(seed.url) ? NO_HOST : undefined;
  if (hasBlankForTab(seed.url) && URL.canParse(seed.url.split(/\s/, 1)[0]!)) return BLANK_FOR_TAB;
  return whyNoUrl(seed.url);
}

/** A flag of a body; false when it is missing or null. Throws FIELDS_INVALID. */
function skipsInvalid(value: unknown): boolean {
  const flag = booleanOf(value ?? false);
  if (typeof flag === 'boolean') return flag;
  throw valueRefused('skipInvalid', value, 'true or false');
}

/** The id of a list: a whole number, also as text; none when it is missing, null or empty. Throws FIELDS_INVALID. */
function idOf(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null;
  const id = numberOf(value);
  if (id !== undefined) return id;
  throw valueRefused('id', value, 'a whole number');
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
