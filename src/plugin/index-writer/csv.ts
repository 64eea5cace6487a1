/** indexer-csv: chosen fields of documents as CSV (Nutch `CSVIndexWriter`, RFC 4180). Deletions are ignored. */
import type { FieldValue, IndexDocument } from '../../core/indexing/index-document.js';
import { wellFormedStart } from '../../core/indexing/field-text.js';
import { type LineEncoding, LineFiles } from '../builtin/line-files.js';
import type { PluginFor, WriterParameters } from '../extension-points.js';
import { integerParameter } from './engine.js';

interface Form {
  readonly fields: readonly string[];
  readonly separator: string;
  readonly valueSeparator: string;
  /** Empty: values are not quoted. */
  readonly quote: string;
  readonly escape: string;
  readonly encoding: LineEncoding;
  readonly maxLength: number;
  readonly maxValues: number;
}

export const csvWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-csv',
  className: 'org.apache.nutch.indexwriter.csv.CSVIndexWriter',
  description: 'Writes chosen fields of documents to files of comma-separated values.',
  writesWithoutParameters: true,
  makeIndexWriter(_conf, parameters, context) {
    const form = formOf(parameters);
    // As a boolean of Java: any word but true means false.
    const hasHeader = (parameters['header'] || 'true').trim().toLowerCase() === 'true';
    const head = hasHeader ? `${form.fields.map((name) => quoted(name, form)).join(form.separator)}\r\n` : '';
    const files = new LineFiles(context, 'csv', parameters, { head, end: '\r\n', encoding: form.encoding });
    return {
      hasOwnLimits: true,
      async write(documents) {
        await files.append(documents.map((document) => ({ id: document.id, line: csvLine(document, form) })));
        return [];
      },
      delete: () => Promise.resolve(),
      commit: async () => void (await files.opened()),
      close: () => files.close(),
      position: () => files.position(),
    };
  },
};

const ENCODINGS: ReadonlyMap<string, LineEncoding> = new Map([
  ['utf-8', 'utf8'],
  ['iso-8859-1', 'latin1'],
]);

function formOf(parameters: WriterParameters): Form {
  const character = (name: string, otherwise: string, mayBeEmpty = false): string => {
    const value = mayBeEmpty ? (parameters[name] ?? otherwise) : parameters[name] || otherwise;
    if (mayBeEmpty && value === '') return value;
    if (value.length !== 1 || /[\r\n]/.test(value)) throw new Error(`its parameter ${name} is one character`);
    return value;
  };
  const encoding = ENCODINGS.get((parameters['charset'] || 'UTF-8').toLowerCase());
  if (encoding === undefined) throw new Error('its parameter charset is UTF-8 or ISO-8859-1');
  const fields = (parameters['fields'] || 'id,title,content').split(',').map((name) => name.trim());
  return {
    fields,
    separator: character('separator', ','),
    valueSeparator: character('valuesep', '|'),
    quote: character('quotechar', '"', true),
    escape: character('escapechar', '"', true),
    encoding,
    maxLength: integerParameter(parameters, 'maxfieldlength', { otherwise: 4_096, max: 16_777_216 }),
    maxValues: integerParameter(parameters, 'maxfieldvalues', { otherwise: 12, max: 100_000 }),
  };
}

function csvLine(document: IndexDocument, form: Form): string {
  return form.fields
    .map((name) => {
      const values: readonly FieldValue[] =
        name === 'id' ? [document.id] : (document.fields.get(name) ?? (name === 'boost' ? [document.boost] : []));
      const texts = values.slice(0, form.maxValues).map((value) => wellFormedStart(csvText(value), form.maxLength));
      return quoted(texts.join(form.valueSeparator), form);
    })
    .join(form.separator);
}

const csvText = (value: FieldValue): string => (value instanceof Date ? value.toISOString() : String(value));

function quoted(text: string, { separator, quote, escape }: Form): string {
  if (quote === '' || ![separator, quote, '\r', '\n'].some((sign) => text.includes(sign))) return text;
  const escaped = escape === quote || escape === '' ? text : text.replaceAll(escape, escape + escape);
  return quote + escaped.replaceAll(quote, escape + quote) + quote;
}
