import { describe, expect } from 'vitest';
import { hostToAscii } from '../../src/core/url/idn.js';
import { encodeQuery } from '../../src/core/url/query-charset.js';
import { resolveUrl } from '../../src/core/url/resolve.js';
import { suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

describe('urltestdata of web-platform-tests (WHATWG URL Standard §4.4)', () => {
  interface UrlCase {
    input: string;
    base: string | null;
    href?: string;
    failure?: boolean;
  }
  eachCase(suiteOf<UrlCase>('url', 'wpt-urltestdata'))('%#: $input on $base is $href', ({ input, base, href }) => {
    expect(resolveUrl(input, base ?? '')).toBe(href ?? null);
  });
});

describe('toascii of web-platform-tests (WHATWG URL Standard §3.3)', () => {
  eachCase(suiteOf<{ input: string; output: string | null }>('url', 'wpt-toascii'))('%#: $input is $output', (each) => {
    expect(hostToAscii(each.input)).toBe(each.output);
  });
});

describe('percent-encoding of web-platform-tests (WHATWG URL Standard §1.3)', () => {
  const cases = suiteOf<{ input: string; output: Record<string, string> }>('url', 'wpt-percent-encoding');
  const rows = cases.flatMap(({ input, output }) =>
    Object.entries(output).map(([charset, encoded]) => [input, charset, encoded] as const),
  );

  eachCase(rows)('%j in a page of %s is %s', (input, charset, encoded) => {
    expect(encodeQuery(input, charset)).toBe(encoded);
    expect(resolveUrl(`?${input}#x`, 'http://a.com/', charset)).toBe(`http://a.com/?${encoded}#x`);
  });
});
