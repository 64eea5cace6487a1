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

describe('a page with many links and a long base URL (HTML §4.2.3)', () => {
  const base = `http://h.example/${'b'.repeat(16_000)}/`;

  it.each([
    ['are invalid', (n: number) => `http://%${n}`],
    ['name another host', (n: number) => `http://a.example/?é${n}`],
    ['are relative', (n: number) => `é${n}`],
  ])('resolves a bounded number of references that %s', (_, reference) => {
    expect(resolved(base, 5_000, reference).resolved).toBeLessThan(1_100);
  });
});

it('a page with an ordinary base URL keeps all of its 90,000 links', () => {
  const base = `http://h.example/${'b'.repeat(100)}/`;
  expect(resolved(base, 90_000, (n) => `${n}.html`)).toEqual({ found: 90_000, resolved: 90_000 });
});
