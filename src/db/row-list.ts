/**
 * Values of a list as rows of a statement:
 * ``from ${rowList('page', pages, { host: ['text', (p) => p.host], length: ['int', (p) => p.body.length] })}``
 *
 * Each column is one parameter, an array: the statement has one text for any number of rows, so it can be a prepared one. A
 * column has its name, type and value in one line, as lists that must match by position invite mistakes.
 */
import { byteaArray } from './arrays.js';
import { type Fragment, fragment, identifier, joined } from './sql.js';

interface ValueOf {
  text: string;
  uuid: string;
  int: number;
  bigint: number | string;
  float8: number;
  bool: boolean;
  timestamptz: Date | string;
  /** Any value that JSON can express. Null is a null of SQL. */
  jsonb: unknown;
  bytea: Uint8Array;
}

export type ColumnType = keyof ValueOf;

/** The type of a column, and its value for an element of the list, or for its index. */
export type Column<T> = {
  readonly [type in ColumnType]: readonly [type, (element: T, index: number) => ValueOf[type] | null | undefined];
}[ColumnType];

/** Columns by name. A fragment is an array that was made before, with an element for each row. */
export type Columns<T> = Readonly<Record<string, Column<T> | Fragment>>;

const jsonOf = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));

const ARRAY_OF: Record<ColumnType, (values: unknown[]) => Fragment> = {
  text: (values) => fragment`${values}::text[]`,
  uuid: (values) => fragment`${values}::uuid[]`,
  int: (values) => fragment`${values}::int[]`,
  bigint: (values) => fragment`${values}::bigint[]`,
  float8: (values) => fragment`${values}::float8[]`,
  bool: (values) => fragment`${values}::bool[]`,
  timestamptz: (values) => fragment`${values}::timestamptz[]`,
  jsonb: (values) => fragment`${values.map(jsonOf)}::jsonb[]`,
  bytea: (values) => fragment`${byteaArray(values as Uint8Array[])}::bytea[]`,
};

/** Rows `name` with these columns, one for each element of the list. */
export function rowList<T>(name: string, list: readonly T[], columns: Columns<T>): Fragment {
  const arrays = Object.values(columns).map((column) => {
    if (!isColumn(column)) return column;
    const [type, value] = column;
    return ARRAY_OF[type](list.map(value));
  });
  const names = Object.keys(columns).map(identifier);
  return fragment`unnest(${joined(arrays, ', ')}) as ${identifier(name)} (${joined(names, ', ')})`;
}

const isColumn = <T>(column: Column<T> | Fragment): column is Column<T> => Array.isArray(column);
