import { describe, expect, it } from 'vitest';
import { encodeQuery } from '../../../src/core/url/query-charset.js';
import { resolveUrl } from '../../../src/core/url/resolve.js';

describe('a query in the charset of its page (WHATWG URL Standard §4.4, query state)', () => {
  it.each([
    ['日本', 'shift_jis', '%93%FA%96{'],
    ['日本', 'euc-jp', '%C6%FC%CB%DC'],
    ['日本', 'iso-2022-jp', '%1B$BF|K\\%1B(B'],
    ['a日b', 'iso-2022-jp', 'a%1B$BF|%1B(Bb'],
    ['中文', 'gbk', '%D6%D0%CE%C4'],
    ['中文', 'gb18030', '%D6%D0%CE%C4'],
    ['中文', 'big5', '%A4%A4%A4%E5'],
    ['한국', 'euc-kr', '%C7%D1%B1%B9'],
    ['€', 'gbk', '%80'],
    ['€', 'gb18030', '%A2%E3'],
    ['😀', 'gb18030', '%949%FC6'],
    ['😀', 'windows-1252', '%26%23128512%3B'],
    ['é€', 'windows-1252', '%E9%80'],
    ['мир', 'koi8-r', '%CD%C9%D2'],
    ['¥‾', 'shift_jis', '\\~'],
    ['¥‾a', 'iso-2022-jp', '%1B(J\\~a%1B(B'],
    ['¥\\日', 'iso-2022-jp', '%1B(J\\%1B(B\\%1B$BF|%1B(B'],
    ['a\x1bb', 'iso-2022-jp', 'a%26%2365533%3Bb'],
    ['ｱ', 'shift_jis', '%B1'],
    ['ｱ', 'euc-jp', '%8E%B1'],
    ['ｱｶﾞ｡', 'iso-2022-jp', '%1B$B%%22%+!+!%23%1B(B'],
    ['\ue000', 'shift_jis', '%26%2357344%3B'],
    ['é', 'utf-16le', '%C3%A9'],
    ['é', 'no such charset', '%C3%A9'],
    ['a b\'"<>#', 'windows-1252', 'a%20b%27%22%3C%3E%23'],
  ])('%j in %s is %s', (query, charset, encoded) => {
    expect(encodeQuery(query, charset)).toBe(encoded);
  });

  it('affects only the query, and only for schemes that are fetched', () => {
    expect(resolveUrl('/ü?ü#ü', 'http://a.com/', 'windows-1252')).toBe('http://a.com/%C3%BC?%FC#%C3%BC');
    expect(resolveUrl('x:?ü', 'http://a.com/', 'windows-1252')).toBe('x:?%C3%BC');
    expect(resolveUrl('#?ü', 'http://a.com/', 'windows-1252')).toBe('http://a.com/#?%C3%BC');
    expect(resolveUrl(' ?a\n=ü ', 'http://a.com/', 'windows-1252')).toBe('http://a.com/?a=%FC');
    expect(resolveUrl('?%FC', 'http://a.com/', 'windows-1252')).toBe('http://a.com/?%FC');
  });
});
