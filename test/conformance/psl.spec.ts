import { describe, expect } from 'vitest';
import { domainOf } from '../../src/core/url/domain.js';
import { hostToAscii } from '../../src/core/url/idn.js';
import { suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { publicSuffixOf } from '../support/public-suffix.js';

describe('test_psl of publicsuffix.org', () => {
  /** An unlisted name of one label is its own domain here: `localhost` has pages like every host. */
  const oneLabel: Record<string, string> = { example: 'example' };
  const cases = suiteOf<{ host: string | null; registrable: string | null }>('psl', 'test_psl');

  eachCase(cases)('$host is registered as $registrable', ({ host, registrable }) => {
    const domain = domainOf(host ?? '');
    const isSuffix = hostToAscii(domain) === publicSuffixOf(host ?? '');
    expect(domain === '' || isSuffix ? null : domain).toBe(oneLabel[host ?? ''] ?? registrable);
  });
});
