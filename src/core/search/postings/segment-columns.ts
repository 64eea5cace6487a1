/**
 * Values of the documents of a segment for ranking, filters and facets, as arrays by document number. They are immutable once
 * written; bytes are little-endian.
 */
import { FIELDS } from './posting-codec.js';

/** A column with few distinct values: a number per document, and the dictionary of the numbers. */
export interface Ordinals {
  readonly values: readonly string[];
  readonly byDoc: Uint8Array | Uint16Array | Uint32Array;
}

export interface SegmentColumns {
  readonly size: number;
  /** Number of words of each field (`searchFields`), 65,535 at most. */
  readonly lengths: readonly Uint16Array[];
  readonly boosts: Float32Array;
  /** Weights of single fields; null where all are 1. */
  readonly fieldBoosts: readonly (Float32Array | null)[];
  readonly languages: Ordinals;
  readonly types: Ordinals;
  readonly hosts: Ordinals;
  /** Days since 1970-01-01; NO_DAY: unknown. */
  readonly days: Int32Array;
  /** SimHash of the text, in two halves of 32 bits. */
  readonly simhashes: Uint32Array;
}

export const NO_DAY = -2_147_483_648;
export const MAX_FIELD_TOKENS = 65_535;

interface Head {
  size: number;
  boosted: boolean[];
  languages: readonly string[];
  types: readonly string[];
  hosts: readonly string[];
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array;

export function encodeColumns(columns: SegmentColumns): Uint8Array {
  const { size, lengths, fieldBoosts, languages, types, hosts } = columns;
  const head: Head = {
    size,
    boosted: fieldBoosts.map((boosts) => boosts !== null),
    languages: languages.values,
    types: types.values,
    hosts: hosts.values,
  };
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(4);
  start.writeUInt32LE(json.length);
  const written: Column[] = [
    ...lengths,
    columns.boosts,
    ...fieldBoosts.filter((boosts) => boosts !== null),
    ...[languages, types, hosts].map(({ byDoc }) => Uint32Array.from(byDoc)),
    columns.days,
    columns.simhashes,
  ];
  const bytes = written.map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return Buffer.concat([start, json, ...bytes]);
}

export function decodeColumns(encoded: Uint8Array): SegmentColumns {
  // No Buffer: the slices of one are views, and arrays of words must begin at an even address.
  const bytes = new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const headSize = Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32LE();
  const head = JSON.parse(Buffer.from(bytes.subarray(4, 4 + headSize)).toString()) as Head;
  let at = 4 + headSize;
  const next = (width: number, count = head.size): ArrayBuffer =>
    bytes.slice(at, (at += width * count)).buffer as ArrayBuffer;
  const ordinals = (values: readonly string[]): Ordinals => ({
    values,
    byDoc: narrow(new Uint32Array(next(4)), values),
  });
  return {
    size: head.size,
    lengths: Array.from({ length: FIELDS }, () => new Uint16Array(next(2))),
    boosts: new Float32Array(next(4)),
    fieldBoosts: head.boosted.map((is) => (is ? new Float32Array(next(4)) : null)),
    languages: ordinals(head.languages),
    types: ordinals(head.types),
    hosts: ordinals(head.hosts),
    days: new Int32Array(next(4)),
    simhashes: new Uint32Array(next(4, 2 * head.size)),
  };
}

/** Stored with four bytes; in memory, where columns compete for a cache, with as few as the number of values needs. */
function narrow(ordinals: Uint32Array, { length }: readonly string[]): Ordinals['byDoc'] {
  if (length <= 256) return new Uint8Array(ordinals);
  return length <= 65_536 ? new Uint16Array(ordinals) : ordinals;
}

/** Approximate bytes of a text of a dictionary besides its characters. */
const TEXT_COST = 32;

/** Approximate bytes in memory. */
export function columnsSize({ size, fieldBoosts, ...columns }: SegmentColumns): number {
  const boosted = fieldBoosts.filter((boosts) => boosts !== null).length;
  const ordinals = [columns.languages, columns.types, columns.hosts].map(
    ({ values, byDoc }) => byDoc.byteLength + values.reduce((sum, text) => sum + text.length + TEXT_COST, 0),
  );
  return ordinals.reduce((sum, bytes) => sum + bytes, size * (2 * FIELDS + 4 + 4 * boosted + 4 + 8));
}

/** One document's values, in the order of the columns. */
export interface ColumnValues {
  readonly lengths: ArrayLike<number>;
  readonly boost: number;
  readonly fieldBoosts: ArrayLike<number>;
  readonly language: string;
  readonly type: string;
  readonly host: string;
  readonly day: number;
  readonly simhash: readonly [high: number, low: number];
}

/** Builds columns while documents are added. */
export class ColumnsBuilder {
  private readonly values: ColumnValues[] = [];

  get size(): number {
    return this.values.length;
  }

  add(values: ColumnValues): void {
    this.values.push(values);
  }

  build(): SegmentColumns {
    const { values, size } = this;
    const fields = Array.from({ length: FIELDS }, (_, field) => field);
    return {
      size,
      lengths: fields.map((field) =>
        Uint16Array.from(values, (row) => Math.min(row.lengths[field]!, MAX_FIELD_TOKENS)),
      ),
      boosts: Float32Array.from(values, ({ boost }) => boost),
      fieldBoosts: fields.map((field) =>
        values.every((row) => row.fieldBoosts[field] === 1)
          ? null
          : Float32Array.from(values, (row) => row.fieldBoosts[field]!),
      ),
      languages: ordinalsOf(values.map(({ language }) => language)),
      types: ordinalsOf(values.map(({ type }) => type)),
      hosts: ordinalsOf(values.map(({ host }) => host)),
      days: Int32Array.from(values, ({ day }) => day),
      simhashes: Uint32Array.from(values.flatMap(({ simhash }) => simhash)),
    };
  }
}

/** The values of one document of a segment, to be copied to another one. */
export const valuesOf = (columns: SegmentColumns, doc: number): ColumnValues => ({
  lengths: columns.lengths.map((lengths) => lengths[doc]!),
  boost: columns.boosts[doc]!,
  fieldBoosts: columns.fieldBoosts.map((boosts) => boosts?.[doc] ?? 1),
  language: valueOf(columns.languages, doc),
  type: valueOf(columns.types, doc),
  host: valueOf(columns.hosts, doc),
  day: columns.days[doc]!,
  simhash: [columns.simhashes[2 * doc]!, columns.simhashes[2 * doc + 1]!],
});

const valueOf = ({ values, byDoc }: Ordinals, doc: number): string => values[byDoc[doc]!] ?? '';

function ordinalsOf(texts: readonly string[]): Ordinals {
  const numbers = new Map<string, number>();
  const byDoc = Uint32Array.from(texts, (text) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  });
  return { values: [...numbers.keys()], byDoc };
}

/** Words of all documents, live or dead, by field, to compute average lengths. */
export const sumsOf = ({ lengths }: SegmentColumns): number[] =>
  lengths.map((fieldLengths) => fieldLengths.reduce((sum, length) => sum + length, 0));
