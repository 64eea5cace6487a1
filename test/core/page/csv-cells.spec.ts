import { describe, expect, it } from 'vitest';
import { cellsOnLines } from '../../../src/core/page/csv-cells.js';

describe('cells of comma-separated values', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['a,b\r\nc,d\re,f\ng', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['url;name;n\nx,y;z;1', ['url', 'name', 'n', 'x,y', 'z', '1']],
    ['url|name\na,b|c;d', ['url', 'name', 'a,b', 'c;d']],
    ['a\tb\nc,d\te', ['a', 'b', 'c,d', 'e']],
    ['one\ntwo,three', ['one', 'two', 'three']],
    ['"a;b;c",d\n"e,f",g', ['"a;b;c"', 'd', '"e,f"', 'g']],
    ['"say ""hi, you""",b', ['"say ""hi, you"""', 'b']],
    ['5" pipe,b\nc,d', ['5" pipe,b', 'c', 'd']],
    ['', ['']],
  ])('%j', (text, cells) => {
    expect(cellsOnLines(text).split('\n')).toEqual(cells);
  });
});
