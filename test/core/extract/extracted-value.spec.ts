import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberIn } from '../../../src/core/extract/extracted-value.js';

describe('the number extracted from a text', () => {
  it.each([
    ['1.234,50 €', '1234.5'],
    ['$1,234.50', '1234.5'],
    ['1 234 567 kr', '1234567'],
    ["CHF 1'234.–", '1234'],
    ['1,234', '1234'],
    ['0,123', '0.123'],
    ['1.234', '1.234'],
    ['1.234.567', '1234567'],
    ['0,99', '0.99'],
    ['−5 °C', '-5'],
    ['from 3 to 5', '3'],
    ['3\u00a05', '3'],
    ['3\u202f5000', '3'],
    ['12\u00a0345,5', '12345.5'],
    ['page 007', '7'],
    ['none', ''],
    ['', ''],
  ])('%j yields %j', (text, number) => {
    expect(numberIn(text.replaceAll('1 234 567', '1\u00a0234\u00a0567'))).toBe(number);
  });

  it('is a finite number or empty for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,-\u2019 x') }), (text) => {
        expect(Number.isFinite(Number(numberIn(text)))).toBe(true);
      }),
    );
  });
});
