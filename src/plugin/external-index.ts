/** Guards of external indexing filters, boosts, exchanges and index writers. */
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import type { DocumentTest } from '../core/indexing/exchange-expression.js';
import type { FieldValue, IndexDocument } from '../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../core/indexing/index-writer.js';
import type { IndexPage } from '../core/indexing/index-page.js';
import { type IndexBoost, type IndexingFilter, setField } from '../core/indexing/indexing-filter.js';
import { finite } from '../core/score/scoring-filter.js';
import { kindOf } from './kind-of.js';
import { checkedFunction, type Fail, readBoolean, readNumber } from './external-call.js';

const MAX_FIELDS = 1_000;
const MAX_VALUES = 100_000;
const MAX_NAME_LENGTH = 256;

/** A filter that fails, or returns no document, leaves it unchanged; only null drops it. What it changes in place is its own. */
export function guardedIndexingFilter(extension: unknown, fail: Fail): IndexingFilter | undefined {
  if (typeof extension !== 'function') return undefined;
  return checkedFunction<[IndexDocument, IndexPage], IndexDocument | null>(
    (document: IndexDocument, page: IndexPage) => extension(copyOf(document), copyOfPage(page)) as unknown,
    fail,
    (value, document) => (value === null ? null : readDocument(value, document)),
    (_, document) => document,
  );
}

/** A boost also sets boosts of fields, in the document. */
export function guardedIndexBoost(extension: unknown, fail: Fail): IndexBoost | undefined {
  const boostOf = checkedFunction<Parameters<IndexBoost>, number>(
    extension,
    fail,
    readNumber,
    (_, _document, _page, boost) => boost,
  );
  if (boostOf === undefined) return undefined;
  return (document, page, start) => {
    const copy = copyOf(document);
    const boost = boostOf(copy, copyOfPage(page), start);
    setFieldBoosts(document, copy.fieldBoosts);
    return boost;
  };
}

/** Finite numbers only. */
function setFieldBoosts({ fieldBoosts }: IndexDocument, boosts: unknown): void {
  if (!(boosts instanceof Map)) return;
  fieldBoosts.clear();
  for (const [name, weight] of boosts as Map<string, unknown>)
    if (typeof weight === 'number' && Number.isFinite(weight)) fieldBoosts.set(name, weight);
}

/** An exchange that fails does not match. It gets a copy: the writers get the document. */
export function guardedExchange(extension: unknown, fail: Fail): DocumentTest | undefined {
  if (typeof extension !== 'function') return undefined;
  const test = (document: IndexDocument) => extension(copyOf(document)) as unknown;
  return checkedFunction(test, fail, readBoolean, () => false);
}

const METHODS = ['write', 'delete', 'commit', 'close'] as const;

/**
 * An exception is a failed write, which INDEX retries and then reports. Each attempt gets copies: other writers have the same
 * documents at the same time.
 */
export function guardedIndexWriter(extension: unknown, fail: Fail): IndexWriter | undefined {
  const writer = extension as IndexWriter | null | undefined;
  if (METHODS.some((name) => typeof writer?.[name] !== 'function')) return undefined;
  const noted = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Error(fail(error), { cause: error });
    }
  };
  return {
    write: (documents) => noted(async () => readRefused(await writer!.write(documents.map(copyOf)))),
    delete: (ids) => noted(async () => writer!.delete([...ids])),
    commit: () => noted(async () => writer!.commit()),
    close: () => noted(async () => writer!.close()),
  };
}

const copyOf = (document: IndexDocument): IndexDocument => ({
  ...document,
  fields: new Map([...document.fields].map(([name, values]) => [name, values.map(copyOfValue)])),
  fieldBoosts: new Map(document.fieldBoosts),
});

const copyOfValue = (value: FieldValue): FieldValue => (value instanceof Date ? new Date(value) : value);

const copyOfPage = (page: IndexPage): IndexPage => ({
  ...page,
  headers: { ...page.headers },
  metadata: { ...page.metadata },
  inlinks: page.inlinks.map((link) => ({ ...link })),
  outlinks: page.outlinks.map((link) => ({ ...link })),
});

/** @throws Error with a reason for an invalid document */
function readDocument(value: unknown, before: IndexDocument): IndexDocument {
  const { fields, fieldBoosts, boost } = (value ?? {}) as Partial<IndexDocument>;
  if (!(fields instanceof Map)) throw new Error('it answered no document');
  if (fields.size > MAX_FIELDS) throw new Error(`its document has more than ${MAX_FIELDS} fields`);
  const document: IndexDocument = {
    ...before,
    boost: finite(Number(boost), before.boost),
    fields: new Map(),
    fieldBoosts: new Map(),
  };
  for (const [name, values] of fields as Map<unknown, unknown>) {
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH)
      throw new Error(`the name of a field of its document must be a text of 1 to ${MAX_NAME_LENGTH} characters`);
    if (!Array.isArray(values))
      throw new Error(`its field ${name} must be an array of values (given: ${kindOf(values)})`);
    setField(document, name.toWellFormed(), values.slice(0, MAX_VALUES).filter(isValue));
  }
  setFieldBoosts(document, fieldBoosts);
  return document;
}

const isValue = (value: unknown): value is FieldValue =>
  ['string', 'boolean'].includes(typeof value) ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (value instanceof Date && !Number.isNaN(value.getTime()));

/**
 * The documents that a writer refuses; none for undefined or null.
 * @throws Error for any other answer, as a refusal that is not understood would count as written
 */
function readRefused(value: unknown): RefusedDocument[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw misanswered(kindOf(value));
  return value.map((entry: unknown) => {
    const { id, reason } = (entry ?? {}) as { id?: unknown; reason?: unknown };
    if (typeof id !== 'string') throw misanswered('an entry without an id that is a text');
    return { id, reason: String(reason).slice(0, STORED_LENGTHS.refusal) };
  });
}

const misanswered = (kind: string) => new Error(`write answered ${kind}: an array of { id, reason } is needed`);
