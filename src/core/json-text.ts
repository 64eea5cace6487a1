/**
 * Parses untrusted JSON.
 *
 * The text is measured before it is parsed: depth, number of members and of values, in one pass over the characters, so neither a
 * million brackets nor a million keys ever become objects. After parsing, one iterative traversal refuses names that
 * pollute prototypes, numbers that overflowed, and NUL, and replaces lone surrogates (in names they are refused), so that
 * PostgreSQL stores exactly the text that the program compares.
 */

export interface JsonLimits {
  /** Levels of objects and arrays. */
  depth: number;
  /** Members of any one object. */
  keysOfObject: number;
  /** Members of all objects together. */
  keysInAll: number;
  /** Values that follow another one in an array or object, and arrays and objects: each of them becomes an object or a cell. */
  valuesInAll: number;
}

export const DEFAULT_JSON_LIMITS: JsonLimits = {
  depth: 64,
  keysOfObject: 10_000,
  keysInAll: 10_000,
  valuesInAll: 100_000,
};
/** Seed lists are arrays of very many small objects. */
export const SEED_JSON_LIMITS: JsonLimits = {
  depth: 64,
  keysOfObject: 10_000,
  keysInAll: 4_000_000,
  valuesInAll: 16_000_000,
};

/** Why a text is refused; the message says what is allowed. */
export class JsonRefused extends Error {}

/** Names that would change an object itself. */
export const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** The value of a JSON text. Throws JsonRefused, or SyntaxError if the text is not JSON. */
export function readJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  measure(text, limits);
  const holder = { '': JSON.parse(text) as unknown };
  clean(holder);
  return holder[''];
}

/** Throws JsonRefused when the text exceeds the limits; does not check whether it is JSON. */
function measure(text: string, limits: JsonLimits): void {
  const keys: number[] = [];
  let all = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === 0x7b || code === 0x5b) {
      if (code !== COMMA) keys.push(0);
      if (++values > limits.valuesInAll) throw new JsonRefused(`it has more than ${limits.valuesInAll} values in all`);
    } else if (code === 0x7d || code === 0x5d) keys.pop();
    else if (code === COLON) {
      all++;
      const ofObject = (keys.pop() ?? 0) + 1;
      keys.push(ofObject);
      if (ofObject > limits.keysOfObject)
        throw new JsonRefused(`an object has more than ${limits.keysOfObject} members`);
      if (all > limits.keysInAll) throw new JsonRefused(`it has more than ${limits.keysInAll} members in all`);
    }
    if (keys.length > limits.depth) throw new JsonRefused(`it is nested deeper than ${limits.depth} levels`);
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Objects and arrays whose members are still to be checked. */
type Nodes = (Record<string, unknown> | unknown[])[];

function clean(root: Record<string, unknown>): void {
  const waiting: Nodes = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) for (let at = 0; at < node.length; at++) node[at] = cleanValue(node[at], waiting);
    else cleanMembers(node, waiting);
  }
}

function cleanMembers(node: Record<string, unknown>, waiting: Nodes): void {
  for (const [name, value] of Object.entries(node)) {
    if (refusedNames.has(name)) throw new JsonRefused(`a member must not be called "${name}"`);
    cleanText(name);
    if (!name.isWellFormed()) throw new JsonRefused('the name of a member has a lone surrogate');
    node[name] = cleanValue(value, waiting);
  }
}

function cleanValue(value: unknown, waiting: Nodes): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonRefused('a number is too large');
  if (typeof value === 'object' && value !== null) waiting.push(value as Record<string, unknown>);
  return value;
}

/** Well-formed text. Throws JsonRefused for NUL, which PostgreSQL cannot store. */
export function cleanText(text: string): string {
  if (text.includes('\0')) throw new JsonRefused('a text has a NUL character');
  return text.toWellFormed();
}

/** A UTF-16 unit as JSON escapes it. */
export const jsonEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
