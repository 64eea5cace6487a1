import { describe, expect, it } from 'vitest';
import { hostToAscii } from '../../src/core/url/idn.js';
import { resolveUrl } from '../../src/core/url/resolve.js';
import { suiteOf } from '../core/url/cases.js';

describe('urltestdata of web-platform-tests (WHATWG URL Standard, section 4.4)', () => {
  interface UrlCase {
    input: string;
    base: string | null;
    href?: string;
    failure?: boolean;
  }
  it.each(suiteOf<UrlCase>('url', 'wpt-urltestdata'))('%#: $input on $base is $href', ({ input, base, href }) => {
    expect(resolveUrl(input, base ?? '')).toBe(href ?? null);
  });
});

describe('toascii of web-platform-tests (WHATWG URL Standard, section 3.3)', () => {
  it.each(suiteOf<{ input: string; output: string | null }>('url', 'wpt-toascii'))('%#: $input is $output', (each) => {
    expect(hostToAscii(each.input)).toBe(each.output);
  });
});
