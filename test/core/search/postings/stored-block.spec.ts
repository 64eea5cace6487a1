import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedBlock, storedFields, storedFieldsAt } from '../../../../src/core/search/postings/stored-block.js';
import { unicodeText } from '../../../support/unicode-text.js';

const text = unicodeText().map((one) => one.toWellFormed());
const fields = fc.record({ id: text, url: text, title: text, fetchedAt: fc.option(fc.nat()) });

describe('a block of stored document fields', () => {
  it('returns all documents, or one by its position', () => {
    fc.assert(
      fc.property(fc.array(fields, { minLength: 1, maxLength: 8 }), (all) => {
        const block = storedBlock(all);
        expect(storedFields(block)).toEqual(all);
        expect(all.map((_, at) => storedFieldsAt(Buffer.from(block), at))).toEqual(all);
      }),
    );
  });
});
