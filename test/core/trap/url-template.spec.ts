import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TEMPLATE_LENGTH, urlTemplate } from '../../../src/core/trap/url-template.js';
import { unicodeText } from '../../support/unicode-text.js';

describe('the template of a URL', () => {
  it.each([
    ['http://a.test/', '/'],
    ['http://a.test', '/'],
    ['http://a.test/about/team', '/about/team'],
    ['http://a.test/item/4711', '/item/{n}'],
    ['http://a.test/item/4711/', '/item/{n}/'],
    ['http://a.test/page-12.html', '/page-{n}.html'],
    ['http://a.test/v1.2/x', '/v{n}.{n}/x'],
    ['http://a.test/calendar/2031/05', '/calendar/{n}/{n}'],
    ['http://a.test/calendar/2031-05', '/calendar/{date}'],
    ['http://a.test/calendar/2031-05-17T12:00', '/calendar/{date}'],
    ['http://a.test/calendar/17.5.2031', '/calendar/{date}'],
    ['http://a.test/o/123e4567-e89b-12d3-a456-426614174000', '/o/{id}'],
    ['http://a.test/o/9f86d081884c7d65', '/o/{id}'],
    ['http://a.test/o/dQw4w9WgXcQ7aB3xYz', '/o/{id}'],
    ['http://a.test/deadbeef', '/deadbeef'],
    ['http://a.test/how-to-bake-bread-in-2024', '/how-to-bake-bread-in-{n}'],
    ['http://a.test/a;jsessionid=1F2E/b', '/a;jsessionid={v}/b'],
    ['http://a.test/list?page=7&sort=a', '/list?page={v}&sort={v}'],
    ['http://a.test/list?sort=b&page=8', '/list?page={v}&sort={v}'],
    ['http://a.test/list?f[1]=a&f[2]=b', '/list?f[{n}]={v}'],
    ['http://a.test/list?&&', '/list'],
    ['http://a.test?x=1', '/?x={v}'],
    ['http://a.test/x#y?z=1', '/x'],
    ['no url', '/'],
    ['', '/'],
  ])('of %s is %s', (url, template) => {
    expect(urlTemplate(url)).toBe(template);
  });

  it('is bounded in length for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string(), unicodeText()), (url) => {
        expect(urlTemplate(url).length).toBeLessThanOrEqual(MAX_TEMPLATE_LENGTH);
      }),
    );
    expect(urlTemplate(`http://a.test/${'some-words/'.repeat(50_000)}?${'a=1&'.repeat(50_000)}`).length).toBe(
      MAX_TEMPLATE_LENGTH,
    );
  });

  it('does not depend on the order, number or values of parameters', () => {
    const parameter = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: fc.constantFrom('x', '1', '-') }));
    fc.assert(
      fc.property(fc.array(parameter, { minLength: 1, maxLength: 20 }), (parameters) => {
        const query = (some: [string, string][]) => some.map((one) => one.join('=')).join('&');
        const again = parameters.toReversed().map(([name]): [string, string] => [name, 'other']);
        expect(urlTemplate(`http://a.test/l?${query(parameters)}`)).toBe(
          urlTemplate(`http://a.test/l?${query(again)}`),
        );
      }),
    );
  });
});
