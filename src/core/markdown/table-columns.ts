/**
 * The columns of the table whose rows are being written as Markdown, which has no cells over several columns: such a cell is
 * followed by empty ones, so that the cells behind it stay in their columns.
 */
import type { TreeElement } from '../tree/element.js';

/** Columns of a table whose cells may take several: a short row could be written as thousands of cells. */
const MAX_COLUMNS = 100;

interface WrittenTable {
  readonly element: TreeElement;
  /** The first row with cells. Searched once: a page may have many rows without cells before that one. */
  readonly firstRow: TreeElement | null;
  readonly columns: number;
  /** In a table that would be too wide each cell has one column. */
  readonly isTooWide: boolean;
  /** The row that is being written, and the columns of each of its cells. */
  row: TreeElement | null;
  spans: ReadonlyMap<TreeElement, number>;
}

let current: WrittenTable | null = null;

/** The tree of a large page must not stay in memory. */
export function forgetTable(): void {
  current = null;
}

function tableOf(row: TreeElement): WrittenTable | null {
  const element = row.closest('table');
  if (element === null) return null;
  if (current?.element === element) return current;
  current = { element, ...sizeOf(element), row: null, spans: new Map() };
  return current;
}

/** The number of columns of the table if the row is its first one with cells; null for any other row. */
export function columnsOfFirstRow(row: TreeElement): number | null {
  const table = tableOf(row);
  return table?.firstRow === row ? table.columns : null;
}

/** The number of columns of a row. */
export function columnsOfRow(row: TreeElement): number {
  let width = 0;
  for (const cell of cellsOf(row)) width += spanOf(cell);
  return width;
}

/** The number of columns that a cell takes. */
export function spanOf(cell: TreeElement): number {
  const row = cell.parentNode as TreeElement;
  const table = tableOf(row);
  if (table === null) return 1;
  if (table.row !== row) {
    table.row = row;
    table.spans = table.isTooWide ? new Map() : spansIn(row, table.columns);
  }
  return table.spans.get(cell) ?? 1;
}

/** Cells end with the table: many have a larger `colspan`, to span all columns whatever their number. */
function spansIn(row: TreeElement, columns: number): Map<TreeElement, number> {
  const spans = new Map<TreeElement, number>();
  let left = columns;
  for (const cell of cellsOf(row)) {
    const span = Math.max(1, Math.min(writtenSpan(cell), left));
    spans.set(cell, span);
    left -= span;
  }
  return spans;
}

/**
 * The first row with cells, and the largest number of columns of a row. What the last cell of a row spans does not count: no cell
 * would begin in these columns.
 */
function sizeOf(table: TreeElement): Pick<WrittenTable, 'firstRow' | 'columns' | 'isTooWide'> {
  let firstRow: TreeElement | null = null;
  let columns = 0;
  let cells = 0;
  for (const node of table.children)
    for (const row of node.nodeName === 'TR' ? [node] : node.children) {
      const last = row.nodeName === 'TR' ? lastColumnOf(row) : 0;
      if (last > 0) firstRow ??= row;
      columns = Math.max(columns, last);
      if (last > 0) cells = Math.max(cells, cellsOf(row).length);
    }
  const isTooWide = columns > MAX_COLUMNS;
  return { firstRow, columns: isTooWide ? cells : columns, isTooWide };
}

/** The number of the column in which the last cell of a row begins; 0 if it has none. */
function lastColumnOf(row: TreeElement): number {
  let next = 1;
  let last = 0;
  for (const cell of cellsOf(row)) {
    last = next;
    next += writtenSpan(cell);
  }
  return last;
}

const cellsOf = (row: TreeElement): TreeElement[] =>
  row.children.filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH');

function writtenSpan(cell: TreeElement): number {
  const span = Number(/^\s*\+?(\d+)/.exec(cell.getAttribute('colspan') ?? '')?.[1] ?? 1);
  return span === 0 ? 1 : Math.min(span, MAX_COLUMNS + 1);
}
