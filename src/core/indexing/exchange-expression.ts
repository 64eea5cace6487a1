/**
 * Expressions over a document (Nutch's exchange-jexl): the language of GENERATE's `expr` over the first value of each
 * field, as `host`, `doc.host`, `doc.host[0]` or `doc.getFieldValue('host')`. A missing field is empty.
 */
import { compileCondition } from '../frontier/expression.js';
import type { IndexDocument } from './index-document.js';

export type DocumentTest = (document: IndexDocument) => boolean;

const CALL = /\bdoc\.getFieldValue\(\s*(?:'([\w.:-]{1,100})'|"([\w.:-]{1,100})")\s*\)/g;
/** In Nutch this is the first of a list of values. */
const FIRST = /\b(doc\.[\w.]{1,100})\[0\]/g;
const NUMBERS = ['boost', 'contentLength'];

/** @param numbers further numeric fields @throws ExpressionError naming the position (from 1) and the reason */
export function compileDocumentTest(source: string, numbers: readonly string[] = []): DocumentTest {
  const areNumbers = new Set([...NUMBERS, ...numbers]);
  const called: string[] = [];
  const text = source
    .replace(CALL, (_, single?: string, double?: string) => `field_${called.push(single ?? double!) - 1}`)
    .replace(FIRST, '$1');
  const fieldOf = (name: string): string => {
    const at = /^field_(\d{1,4})$/.exec(name)?.[1];
    return (at === undefined ? undefined : called[Number(at)]) ?? name.replace(/^doc\./, '');
  };
  const names = new Set<string>();
  const test = compileCondition(text, {
    kindOf: (name) => {
      names.add(name);
      return areNumbers.has(fieldOf(name)) ? 'number' : 'text';
    },
    names: ['the names of fields'],
    aliases: {},
  });
  return (document) =>
    test(
      Object.fromEntries(
        [...names].map((name) => [name, valueOf(document, fieldOf(name), areNumbers.has(fieldOf(name)))]),
      ),
    );
}

function valueOf({ id, boost, fields }: IndexDocument, name: string, isNumber: boolean): string | number {
  const value = name === 'id' ? id : (fields.get(name)?.[0] ?? (name === 'boost' ? boost : ''));
  if (isNumber) return Number(value) || 0;
  return typeof value === 'object' ? value.toISOString() : String(value);
}
