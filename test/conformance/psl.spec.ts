import { describe, expect, it } from 'vitest';
import { domainOf, publicSuffixOf } from '../../src/core/url/domain.js';
import { hostToAscii } from '../../src/core/url/idn.js';
import { suiteOf } from '../core/url/cases.js';

describe('test_psl of publicsuffix.org', () => {
  /** The list's last rule, `*`, makes any unknown label a suffix; we take a name of unknown suffix as it is (Nutch 1.x). */
  const unknownSuffix: Record<string, string> = {
    example: 'example',
    'b.example.example': 'b.example.example',
    'a.b.example.example': 'a.b.example.example',
  };
  const cases = suiteOf<{ host: string | null; registrable: string | null }>('psl', 'test_psl');

  it.each(cases)('$host is registered as $registrable', ({ host, registrable }) => {
    const domain = domainOf(host ?? '');
    const isSuffix = hostToAscii(domain) === publicSuffixOf(host ?? '');
    expect(domain === '' || isSuffix ? null : domain).toBe(unknownSuffix[host ?? ''] ?? registrable);
  });
});
