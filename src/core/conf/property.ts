/**
 * The kinds of crawl properties.
 *
 * A property is a value with a default, bounds and a sentence. Requests and files give values as strings (as Nutch
 * does) or as JSON types; `read` takes either and returns the typed value, or undefined when the value is not
 * allowed. `allowed` describes in words what `read` accepts, so the same phrase is used in error messages, Swagger and the
 * manual.
 */
import { MAX_INT32 } from '../int32.js';

export type PropertyKind = 'int' | 'float' | 'flag' | 'text' | 'choice' | 'list' | 'rules';

export interface Property<T> {
  readonly kind: PropertyKind;
  /** The value if none is given. */
  readonly default: T;
  /** The default as text; it may name other properties as `${name}`. */
  readonly defaultText: string;
  readonly unit: string;
  readonly sentence: string;
  /** What `read` accepts, in words: `an integer from 1 to 1000`. */
  readonly allowed: string;
  /** Its value is never shown, and only a property with `takesSecrets` may refer to it. */
  readonly secret?: true;
  /** May refer to secrets: its value is never shown, and is sent only to a server that an admin has named. */
  readonly takesSecrets?: true;
  /** The typed value of a string or JSON value, or undefined if it is not allowed. */
  read(value: unknown): T | undefined;
}

/** Bounds of a number (both inclusive), its unit, and a default that follows another property. */
export interface NumberOptions {
  min?: number;
  max?: number;
  unit?: string;
  /** The default as text, such as `${fetcher.server.delay}`. */
  as?: string;
  /** An empty value means the default, as one that Nutch ships empty. */
  orEmpty?: boolean;
  /** A value outside of the bounds that is no limit in Nutch: it means `max`. */
  noLimit?: number;
}

const LARGEST_TEXT = 65_536;
const MAX_RULES_LENGTH = 2_097_152;
const MAX_ITEMS = 10_000;

const SINGLE_LINE = /^[^\p{Cc}\u2028\u2029]*$/u;
const MULTI_LINE = /^[^\0]*$/u;
const INTEGER_TEXT = /^[+-]?\d{1,16}$/;
const NUMBER_TEXT = /^[+-]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:[eE][+-]?\d{1,3})?[fFdD]?$/;

const inWords = (kind: string, { min, max, noLimit }: { min: number; max: number; noLimit: number | undefined }) =>
  `${kind} from ${min} to ${max}${noLimit === undefined ? '' : `, or ${noLimit}`}`;

/** A scalar of a request as text; objects, arrays and null have no text. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** A number whose value `noLimit` means `max`. */
function readLimit(
  value: unknown,
  shape: RegExp,
  { min, max, noLimit }: { min: number; max: number; noLimit: number | undefined },
): number | undefined {
  const isUnlimited = noLimit !== undefined && readNumber(value, shape, noLimit, noLimit) !== undefined;
  return isUnlimited ? max : readNumber(value, shape, min, max);
}

function readNumber(value: unknown, shape: RegExp, min: number, max: number): number | undefined {
  const text = scalarText(value)?.trim();
  if (text === undefined || text.length > 48 || !shape.test(text)) return undefined;
  const number = Number(text.replace(/[fFdD]$/, ''));
  return Number.isFinite(number) && number >= min && number <= max ? number : undefined;
}

/** An integer from `min` (0) to `max` (2³¹ − 1). @param sentence what it sets, for docs and the API */
export function int(defaultValue: number, sentence: string, options: NumberOptions = {}): Property<number> {
  const { min = 0, max = MAX_INT32, unit = '', as = String(defaultValue), orEmpty = false, noLimit } = options;
  const bounds = { min, max, noLimit };
  return {
    kind: 'int',
    default: defaultValue,
    defaultText: as,
    unit,
    sentence,
    allowed: `${inWords('an integer', bounds)}${orEmpty ? ', or nothing' : ''}`,
    read: (value) => (orEmpty && value === '' ? defaultValue : readLimit(value, INTEGER_TEXT, bounds)),
  };
}

/** Java prints a whole float as `5.0`; Nutch's users know the defaults in that form. */
const floatText = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

/** A number from `min` (0) to `max` (10¹²), written as in Java or as in JSON. */
export function float(defaultValue: number, sentence: string, options: NumberOptions = {}): Property<number> {
  const { min = 0, max = 1e12, unit = '', as = floatText(defaultValue), noLimit } = options;
  const bounds = { min, max, noLimit };
  return {
    kind: 'float',
    default: defaultValue,
    defaultText: as,
    unit,
    sentence,
    allowed: inWords('a number', bounds),
    read: (value) => readLimit(value, NUMBER_TEXT, bounds),
  };
}

/** true or false, as JSON booleans or as text in any letter case. */
export function flag(defaultValue: boolean, sentence: string): Property<boolean> {
  return {
    kind: 'flag',
    default: defaultValue,
    defaultText: String(defaultValue),
    unit: '',
    sentence,
    allowed: 'true or false',
    read: (value) => {
      const text = scalarText(value)?.trim().toLowerCase();
      return text === 'true' ? true : text === 'false' ? false : undefined;
    },
  };
}

/** One line of text; `shape` restricts it, and `allowed` must then describe that. */
export function text(
  defaultValue: string,
  sentence: string,
  shape = SINGLE_LINE,
  allowed = 'one line of text',
): Property<string> {
  return {
    kind: 'text',
    default: defaultValue,
    defaultText: defaultValue,
    unit: '',
    sentence,
    allowed: `${allowed}, at most ${LARGEST_TEXT} characters`,
    read: (value) => {
      const line = scalarText(value);
      return line !== undefined && line.length <= LARGEST_TEXT && SINGLE_LINE.test(line) && shape.test(line)
        ? line
        : undefined;
    },
  };
}

/** A Java class name without its package, as written; other words as they are. */
export const withoutPackage = (word: string): string => word.slice(word.lastIndexOf('.') + 1);

/** A class name without its package, for comparisons: in lower case, without white space around it. */
export const simpleName = (word: string): string => withoutPackage(word).trim().toLowerCase();

/** One of a fixed set of words, given in any letter case; class names also without their package. */
export function choice<const T extends string>(defaultValue: T, sentence: string, others: readonly T[]): Property<T> {
  const words = [...new Set([defaultValue, ...others])];
  return {
    kind: 'choice',
    default: defaultValue,
    defaultText: defaultValue,
    unit: '',
    sentence,
    allowed: `one of ${words.join(', ')}`,
    read: (value) => {
      const word = scalarText(value)?.trim().toLowerCase();
      return words.find((known) => known.toLowerCase() === word || simpleName(known) === word);
    },
  };
}

/** Words separated by commas or white space; a JSON array of words is accepted too. `known`: the only words allowed. */
export function list(
  defaultValue: readonly string[],
  sentence: string,
  separator: ',' | ' ' = ',',
  known?: readonly string[],
): Property<readonly string[]> {
  const anyWords = `at most ${MAX_ITEMS} words separated by commas or spaces, or an array of words`;
  return {
    kind: 'list',
    default: defaultValue,
    defaultText: defaultValue.join(separator),
    unit: '',
    sentence,
    allowed:
      known === undefined ? anyWords : `words of ${known.join(', ')}, separated by commas or spaces, or an array`,
    read: (value) => {
      const line = Array.isArray(value) ? arrayText(value, ',') : scalarText(value);
      if (line === undefined || line.length > MAX_RULES_LENGTH || !MULTI_LINE.test(line)) return undefined;
      const words = line.split(/[\s,]+/).filter((word) => word !== '');
      if (known !== undefined && !words.every((word) => known.includes(word))) return undefined;
      return words.length <= MAX_ITEMS ? words : undefined;
    },
  };
}

/** A small rule file: lines of text; a JSON array of lines is accepted too. */
export function rules(defaultValue: string, sentence: string): Property<string> {
  return {
    kind: 'rules',
    default: defaultValue,
    defaultText: defaultValue,
    unit: '',
    sentence,
    allowed: `lines of text, or an array of lines, at most ${MAX_RULES_LENGTH} characters without NUL`,
    read: (value) => {
      const lines = Array.isArray(value) ? arrayText(value, '\n') : scalarText(value);
      return lines !== undefined && lines.length <= MAX_RULES_LENGTH && MULTI_LINE.test(lines) ? lines : undefined;
    },
  };
}

/** A property as a secret. */
export const secret = <T>(property: Property<T>): Property<T> => ({ ...property, secret: true });

/** A property as a secret that may refer to other secrets. */
export const takingSecrets = <T>(property: Property<T>): Property<T> => ({ ...secret(property), takesSecrets: true });

function arrayText(items: unknown[], separator: string): string | undefined {
  const texts = items.map(scalarText);
  return texts.every((text) => text !== undefined) ? texts.join(separator) : undefined;
}
