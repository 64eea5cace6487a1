/**
 * Seed lists of requests, read by hand: a list may have some hundred thousand lines, for which a validator class would
 * make as many objects. Each line is checked where it is given, so the answer names the line, not a job that fails later.
 */
import { type SeedLine } from '../../conf/seed-list.store.js';
import { BLANK_FOR_TAB, hasBlankForTab, parseSeedLine } from '../../core/page/seed-line.js';
import { type FieldError, fieldsInvalid, seedListEmpty, seedListInvalid, shown, withOptions } from '../problem.js';
import { anId } from '../request/ids.js';

const mostLines = 1_000_000;
const longestLine = 16_384;
const mostErrors = 10;

export interface SeedInput {
  id: number | null;
  name: string;
  lines: SeedLine[];
  /** Sentences about lines that are taken, and probably not meant so. */
  notices: string[];
}

/** The seed list of a request body. Throws SEED_LIST_EMPTY, SEED_LIST_INVALID with the lines at fault, FIELDS_INVALID. */
export function readSeedList(body: unknown): SeedInput {
  if (body === undefined || body === null) throw seedListEmpty();
  if (typeof body !== 'object' || Array.isArray(body))
    throw seedListInvalid(`The body must be a seed list: {"name", "seedUrls": [{"url"}]}.`);
  const { id, name, seedUrls } = body as Record<string, unknown>;
  if (!Array.isArray(seedUrls))
    throw seedListInvalid(`seedUrls must be an array of {"url": line}; given: ${shown(seedUrls)}.`);
  if (seedUrls.length > mostLines)
    throw seedListInvalid(`seedUrls has ${seedUrls.length} entries; at most ${mostLines} are taken.`);
  const chosen = name === undefined || name === null || name === '' ? newName() : anId('name', name);
  const errors: FieldError[] = [];
  const lines = seedUrls.map((entry, at) => readEntry(entry, `seedUrls[${at}]`, errors));
  refuse(errors);
  return { id: idOf(id), name: chosen, lines, notices: lineNotices(lines, (at) => `seedUrls[${at}].url`) };
}

/** Sentences about the first lines with a blank where a TAB belongs. */
export function lineNotices(lines: readonly SeedLine[], nameOf: (at: number) => string): string[] {
  const notices: string[] = [];
  for (const [at, { line }] of lines.entries()) {
    if (notices.length >= mostErrors) break;
    if (hasBlankForTab(parseSeedLine(line)?.url ?? ''))
      notices.push(`${nameOf(at)} ${BLANK_FOR_TAB}, so all of it is read as the URL (given: ${shown(line)}).`);
  }
  return notices;
}

/** What the lines of a text of seeds are called. */
export const lineOfText = (at: number) => `seed, line ${at + 1}`;

/** The lines of a text of seeds, as INJECT's inline `seed` has it. Throws SEED_LIST_INVALID. */
export function readSeedText(text: string): SeedLine[] {
  const texts = text.split(/\r\n|\r|\n/);
  if (texts.length > mostLines)
    throw seedListInvalid(`seed has ${texts.length} lines; at most ${mostLines} are taken.`);
  const errors: FieldError[] = [];
  texts.forEach((line, at) => complain(line, lineOfText(at), errors));
  refuse(errors);
  return texts.map((line) => ({ id: null, line }));
}

/** A name for a list without one. */
export const newName = () => `seed-${Date.now()}-${Math.floor(Math.random() * 1e6)}`;

function readEntry(entry: unknown, field: string, errors: FieldError[]): SeedLine {
  const given = typeof entry === 'string' ? { url: entry } : ((entry ?? {}) as Record<string, unknown>);
  if (typeof given.url !== 'string') {
    if (errors.length < mostErrors)
      errors.push({ field: `${field}.url`, message: `${field}.url must be a text (given: ${shown(given.url)})` });
    return { id: null, line: '' };
  }
  complain(given.url, `${field}.url`, errors);
  return { id: numberOf(given.id) ?? null, line: given.url };
}

function complain(line: string, field: string, errors: FieldError[]): void {
  if (errors.length >= mostErrors) return;
  const why = faultOf(line);
  if (why) errors.push({ field, message: `${field} ${why} (given: ${shown(line)})` });
}

/** What is wrong with a seed line, or undefined. Blank lines and comments are in order. */
function faultOf(line: string): string | undefined {
  if (line.length > longestLine) return `is longer than ${longestLine} characters`;
  if (/[\r\n]/.test(line.trim())) return 'is more than one line';
  const seed = parseSeedLine(line);
  if (seed === null || URL.canParse(seed.url)) return undefined;
  if (hasBlankForTab(seed.url) && URL.canParse(seed.url.split(/\s/, 1)[0]!)) return BLANK_FOR_TAB;
  return 'is no URL with a scheme, such as http://site.test/';
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0)
    throw withOptions(seedListInvalid(`${errors.map(({ message }) => message).join('; ')}.`), { errors });
}

/** The id of a list: a whole number, also as text; none when it is missing, null or empty. Throws FIELDS_INVALID. */
function idOf(given: unknown): number | null {
  if (given === undefined || given === null || given === '') return null;
  const id = numberOf(given);
  if (id !== undefined) return id;
  const message = `id must be a whole number (given: ${shown(given)})`;
  throw withOptions(fieldsInvalid(`${message}.`), { errors: [{ field: 'id', message }] });
}

function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
