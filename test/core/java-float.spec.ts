import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { javaDouble, javaFloat } from '../../src/core/java-float.js';

describe('a float in the format of Java', () => {
  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [1 / 3, '0.33333334'],
    [0.001, '0.001'],
    [0.00099, '9.9E-4'],
    [9_999_999, '9999999.0'],
    [1e7, '1.0E7'],
    [16_777_216, '1.6777216E7'],
    [-2.5, '-2.5'],
    [1e300, 'Infinity'],
    [Number.NaN, 'NaN'],
  ])('javaFloat(%d) returns %s', (value, text) => {
    expect(javaFloat(value)).toBe(text);
  });

  it('javaFloat returns text that parses to the same float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => Object.is(Math.fround(Number(javaFloat(value))), value)),
    );
  });
});

describe('a double in the format of Java', () => {
  it.each([
    [1, '1.0'],
    [-0, '-0.0'],
    [1 / 3, '0.3333333333333333'],
    [0.001, '0.001'],
    [0.00099, '9.9E-4'],
    [1e-7, '1.0E-7'],
    [9_999_999.5, '9999999.5'],
    [1e7, '1.0E7'],
    [-1.25e21, '-1.25E21'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('javaDouble(%d) returns %s', (value, text) => {
    expect(javaDouble(value)).toBe(text);
  });

  it('javaDouble returns text that parses to the same number', () => {
    fc.assert(fc.property(fc.double({ noNaN: true }), (value) => Object.is(Number(javaDouble(value)), value)));
  });
});
