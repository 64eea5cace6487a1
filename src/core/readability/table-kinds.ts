/**
 * Distinguishes data tables from layout tables, by the rules and numbers of Mozilla's Readability (`_markDataTables`): in the
 * content, data tables stay as they are.
 */
import type { TreeElement } from '../tree/element.js';

/** Elements that only data tables have. */
const DATA = new Set(['col', 'colgroup', 'tfoot', 'thead', 'th']);

export function dataTables(tables: readonly TreeElement[]): ReadonlySet<TreeElement> {
  return new Set(tables.filter(isDataTable));
}

function isDataTable(table: TreeElement): boolean {
  if (table.getAttribute('role') === 'presentation' || table.getAttribute('datatable') === '0') return false;
  if (table.getAttribute('summary')) return true;
  const inside = table.getElementsByTagName('*');
  const caption = inside.find(({ localName }) => localName === 'caption');
  if (caption !== undefined && caption.firstChild !== null) return true;
  if (inside.some(({ localName }) => DATA.has(localName))) return true;
  if (inside.some(({ localName }) => localName === 'table')) return false;
  const { rows, columns } = sizeOf(inside.filter(({ localName }) => localName === 'tr'));
  if (columns === 1 || rows === 1) return false;
  return rows >= 10 || columns > 4 || rows * columns > 10;
}

function sizeOf(trs: readonly TreeElement[]): { rows: number; columns: number } {
  let rows = 0;
  let columns = 0;
  for (const tr of trs) {
    rows += spanOf(tr, 'rowspan');
    const cells = tr.getElementsByTagName('td');
    columns = Math.max(
      columns,
      cells.reduce((sum, cell) => sum + spanOf(cell, 'colspan'), 0),
    );
  }
  return { rows, columns };
}

const spanOf = (element: TreeElement, attribute: string): number =>
  parseInt(element.getAttribute(attribute) ?? '', 10) || 1;
