/** Cursors of lists that are returned page by page: the parameter, the field of the answer, and the page itself. */
import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { FieldOrNull, OptionalField } from '../openapi/fields.js';

/** The parameter `cursor` of a list that continues after an id (of a job, host, worker, …) of this shape. */
export const IdCursorField = (shape: RegExp, last = 'it'): PropertyDecorator =>
  applyDecorators(
    Matches(shape, { message: 'cursor must be the cursor of an answer' }),
    IsOptional(),
    OptionalField(`\`cursor\` of the previous answer: continues after ${last}.`, undefined, { pattern: shape.source }),
  );

/** The `cursor` of an answer that contains one page of a list. */
export const NextCursor = (example: string | null): PropertyDecorator =>
  FieldOrNull(String, 'Pass it as `cursor` to read the next page; null when there are no more.', example);

/**
 * One page of a list: the first `limit` of `rows`, of which one more was read if there is a next page; and the cursor, which is
 * made of the last item: null when there are no more.
 */
export function listPage<Item>(
  rows: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { items: Item[]; cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, cursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
