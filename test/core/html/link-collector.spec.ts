import { describe, expect, it } from 'vitest';
import { LinkCollector } from '../../../src/core/html/link-collector.js';
import { PageText } from '../../../src/core/html/page-text.js';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';

class CountingResolver extends ReferenceResolver {
  resolved = 0;

  override resolve(reference: string): string | null {
    this.resolved++;
    return super.resolve(reference);
  }
}

function resolved(base: string, count: number, reference: (n: number) => string) {
  const text = new PageText(100);
  const links = new LinkCollector(text, 100_000, 100);
  for (let n = 0; n < count; n++) links.add(reference(n), '', { tag: 'a', nofollow: false });
  text.finish();
  const resolver = new CountingResolver(base);
  return { found: links.resolve(resolver, { nofollow: false, tags: false }).length, resolved: resolver.resolved };
}

describe('a page of many links with a long base (HTML standard section 4.2.3)', () => {
  const base = `http://h.example/${'b'.repeat(16_000)}/`;

  it.each([
    ['cannot be resolved', (n: number) => `http://%${n}`],
    ['lead elsewhere', (n: number) => `http://a.example/?é${n}`],
    ['are of the page', (n: number) => `é${n}`],
  ])('looks at no more of those that %s than its characters allow', (_, reference) => {
    expect(resolved(base, 5_000, reference).resolved).toBeLessThan(1_100);
  });
});

it('a page with an ordinary base has all of its links', () => {
  const base = `http://h.example/${'b'.repeat(100)}/`;
  expect(resolved(base, 90_000, (n) => `${n}.html`)).toEqual({ found: 90_000, resolved: 90_000 });
});
