/**
 * index-jexl-filter: drops documents for which an expression is false (Nutch `JexlIndexingFilter`). Besides the fields of
 * the document, as `doc.host` or `host`, it may use the variables of the page that Nutch provides.
 */
import { statusName } from '../page/page-status.js';
import { compileDocumentTest } from './exchange-expression.js';
import type { FieldValue } from './index-document.js';
import type { IndexPage } from './index-page.js';
import type { IndexingFilter } from './indexing-filter.js';

const OF_PAGE: Readonly<Record<string, (page: IndexPage) => FieldValue>> = {
  status: ({ status }) => statusName(status),
  score: ({ score }) => score,
  fetchTime: ({ fetchTime }) => fetchTime,
  signature: ({ signature }) => signature,
  url: ({ url }) => url,
  text: ({ text }) => text,
  title: ({ title }) => title,
};
const NUMBERS = ['score', 'fetchTime'];

/** @param expression empty: no document is dropped @throws ExpressionError naming the position (from 1) and the reason */
export function indexJexl(expression: string): IndexingFilter {
  if (expression.trim() === '') return (document) => document;
  const test = compileDocumentTest(expression, NUMBERS);
  return (document, page) => {
    const fields = new Map(document.fields);
    for (const [name, valueOf] of Object.entries(OF_PAGE)) if (!fields.has(name)) fields.set(name, [valueOf(page)]);
    return test({ ...document, fields }) ? document : null;
  };
}
