/** index-static: constants for every document (Nutch `StaticFieldIndexer`). */
import { type IndexingFilter, addField } from './indexing-filter.js';

export interface StaticOptions {
  /** `field1:val1,field2:val2 val3` */
  readonly fields: string;
  readonly fieldSeparator: string;
  readonly keySeparator: string;
  readonly valueSeparator: string;
}

export function indexStatic(options: StaticOptions): IndexingFilter {
  const constants = constantsOf(options);
  return (document) => {
    for (const [name, values] of constants) for (const value of values) addField(document, name, value);
    return document;
  };
}

/** The names of the constants. */
export const staticNames = (options: StaticOptions): string[] => constantsOf(options).map(([name]) => name);

function constantsOf({
  fields,
  fieldSeparator,
  keySeparator,
  valueSeparator,
}: StaticOptions): [name: string, values: string[]][] {
  return split(fields, fieldSeparator).flatMap((field): [name: string, values: string[]][] => {
    const at = field.indexOf(keySeparator);
    const name = at < 0 ? '' : field.slice(0, at).trim();
    if (keySeparator === '' || name === '') return [];
    return [[name, split(field.slice(at + keySeparator.length), valueSeparator).map((value) => value.trim())]];
  });
}

const split = (text: string, separator: string): string[] => (separator === '' ? [text] : text.split(separator));
