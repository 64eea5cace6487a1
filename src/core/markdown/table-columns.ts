/**
 * The columns of the table whose rows are being written as Markdown, which has no cells over several columns or rows: such a cell
 * has empty ones behind and below it, so that the other cells stay in their columns.
 */
import type { TreeElement } from '../tree/element.js';

/** Columns of a table whose cells may take several: a short row could be written as thousands of cells. */
const MAX_COLUMNS = 100;

/** Where a cell is in its row. */
interface CellPosition {
  /** Columns before it that cells of earlier rows take. */
  readonly before: number;
  readonly column: number;
  readonly span: number;
}

interface WrittenTable {
  readonly element: TreeElement;
  /** The first row with cells. Searched once: a page may have many rows without cells before that one. */
  readonly firstRow: TreeElement | null;
  readonly columns: number;
  /** Of cells that take several columns, or are behind columns of earlier rows. Empty in a table that would be too wide. */
  readonly positions: ReadonlyMap<TreeElement, CellPosition>;
}

let current: WrittenTable | null = null;

/** The tree of a large page must not stay in memory. */
export function forgetTable(): void {
  current = null;
}

function tableOf(row: TreeElement): WrittenTable | null {
  const element = row.closest('table');
  if (element === null) return null;
  if (current?.element !== element) current = laidOut(element);
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
  for (const cell of cellsOf(row)) width += emptyBefore(cell) + spanOf(cell);
  return width;
}

/** The number of columns before a cell that cells of earlier rows take. */
export const emptyBefore = (cell: TreeElement): number =>
  tableOf(cell.parentNode as TreeElement)?.positions.get(cell)?.before ?? 0;

/** The number of columns that a cell takes. Cells end with the table: many have a larger `colspan`, to span all columns. */
export function spanOf(cell: TreeElement): number {
  const table = tableOf(cell.parentNode as TreeElement);
  const position = table?.positions.get(cell);
  return position === undefined ? 1 : Math.min(position.span, table!.columns - position.column);
}

/**
 * The number of columns is that in which the last cell of a row begins. What this cell spans does not count: no cell would begin
 * in these columns.
 */
function laidOut(element: TreeElement): WrittenTable {
  const positions = new Map<TreeElement, CellPosition>();
  let firstRow: TreeElement | null = null;
  let columns = 0;
  let cells = 0;
  for (const group of groupsOf(element)) {
    const taken: number[] = [];
    for (const row of group) {
      const inRow = cellsOf(row);
      if (inRow.length > 0) firstRow ??= row;
      cells = Math.max(cells, inRow.length);
      if (columns <= MAX_COLUMNS) columns = Math.max(columns, placed(inRow, taken, positions));
    }
  }
  if (columns <= MAX_COLUMNS) return { element, firstRow, columns, positions };
  return { element, firstRow, columns: cells, positions: new Map() };
}

/** Rows of a table by their groups, which cells over several rows do not leave. */
function groupsOf({ children }: TreeElement): TreeElement[][] {
  const isRow = ({ nodeName }: TreeElement): boolean => nodeName === 'TR';
  const groups: TreeElement[][] = [];
  for (const [at, node] of children.entries()) {
    if (!isRow(node)) groups.push(node.children.filter(isRow));
    else if (at > 0 && isRow(children[at - 1]!)) groups.at(-1)!.push(node);
    else groups.push([node]);
  }
  return groups;
}

/**
 * Finds the positions of the cells of a row.
 * @param taken for each column how many further rows a cell above takes; changed to what the next row finds
 * @returns the number of columns up to the beginning of the last cell; 0 without cells
 */
function placed(cells: readonly TreeElement[], taken: number[], positions: Map<TreeElement, CellPosition>): number {
  const below: [column: number, rows: number][] = [];
  let column = 0;
  let last = 0;
  for (const cell of cells) {
    const first = column;
    while ((taken[column] ?? 0) > 0) column++;
    const span = Math.max(1, writtenSpan(cell, 'colspan') ?? 1);
    const before = column - first;
    if (span > 1 || before > 0) positions.set(cell, { before, column, span });
    last = column + 1;
    // The table is too wide.
    if (last > MAX_COLUMNS) break;
    const rows = writtenSpan(cell, 'rowspan') ?? 1;
    const width = rows === 1 ? 0 : Math.min(span, MAX_COLUMNS);
    for (let at = 0; at < width; at++) below.push([column + at, rows === 0 ? Infinity : rows]);
    column += span;
  }
  for (const [at, rows] of taken.entries()) taken[at] = Math.max(0, (rows ?? 0) - 1);
  for (const [at, rows] of below) taken[at] = Math.max(taken[at] ?? 0, rows - 1);
  return last;
}

const cellsOf = (row: TreeElement): TreeElement[] =>
  row.children.filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH');

/** The number that the attribute begins with, if it begins with one. */
function writtenSpan(cell: TreeElement, attribute: 'colspan' | 'rowspan'): number | undefined {
  const digits = /^\s*\+?(\d+)/.exec(cell.getAttribute(attribute) ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
