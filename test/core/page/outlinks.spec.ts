import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepOutlinks, type OutlinkProps } from '../../../src/core/page/outlinks.js';

const page = { url: 'http://www.site.org/dir/' };
const shipped: OutlinkProps = {
  'db.max.outlinks.per.page': 100,
  'db.max.outlink.length': 4096,
  'db.max.anchor.length': 100,
  'db.ignore.external.links': false,
  'db.ignore.external.links.mode': 'byHost',
};
const withoutFragment = (url: string): string | null => url.split('#')[0] ?? null;
const keep = (urls: readonly string[], props: Partial<OutlinkProps> = {}, admit = withoutFragment) =>
  keepOutlinks(
    urls.map((url, i) => ({ url, anchor: `anchor ${i}` })),
    page,
    { ...shipped, ...props },
    admit,
  );
const keptUrls = (...args: Parameters<typeof keep>) => keep(...args).kept.map(({ url }) => url);

describe('outlinks that are kept (db.max.outlinks.per.page)', () => {
  it('are each target once, in page order, with its first anchor', () => {
    const { kept, dropped } = keep([
      'http://a.example/',
      'http://b.example/',
      'http://a.example/',
      'http://a.example/#x',
    ]);
    expect(kept).toEqual([
      { url: 'http://a.example/', anchor: 'anchor 0' },
      { url: 'http://b.example/', anchor: 'anchor 1' },
    ]);
    expect(dropped).toEqual({ duplicate: 2 });
  });

  it.each([
    ['the same URL', 'http://a.example/'],
    ['a URL that is the same when normalized', 'http://a.example/#x'],
  ])('have the first anchor with text: a picture without one precedes %s', (_, second) => {
    const links = [
      { url: 'http://a.example/', anchor: '', tag: 'a' },
      { url: second, anchor: '' },
      { url: second, anchor: 'our ferries' },
      { url: 'http://a.example/', anchor: 'more' },
    ];
    const { kept, dropped } = keepOutlinks(links, page, { ...shipped, 'db.max.anchor.length': 7 }, withoutFragment);
    expect(kept).toEqual([{ url: 'http://a.example/', anchor: 'our fer', tag: 'a' }]);
    expect(dropped).toEqual({ duplicate: 3 });
  });

  it.each([
    ['ftp://a.example/', 'scheme'],
    ['javascript:1', 'scheme'],
    ['http://www.site.org/dir/', 'self'],
    ['http://www.site.org/dir/#top', 'self'],
    [`http://a.example/${'x'.repeat(4096)}`, 'length'],
    ['http://refused.example/', 'filtered'],
    ['http://www.site.org/dir/index.html', 'self'],
  ])('exclude %s with reason %s', (url, reason) => {
    const admit = (one: string) => (one.includes('refused') ? null : one.replace('index.html', ''));
    expect(keep([url, url], {}, admit)).toMatchObject({
      kept: [],
      dropped: { [reason]: 2 },
      verdicts: [reason, reason],
    });
  });

  it('exclude a URL that a normalizer made too long', () => {
    const longer = (url: string) => `${url}?${'x'.repeat(20)}`;
    const props = { 'db.max.outlink.length': 30 };
    expect(keep(['http://a.example/1', 'http://a.example/'], props, longer).verdicts).toEqual(['length', 'length']);
    expect(keep(['http://a.example/'], { 'db.max.outlink.length': 38 }, longer).verdicts).toEqual([null]);
  });

  it('count against the limit, while excluded ones do not', () => {
    const urls = [
      'ftp://x/',
      page.url,
      'http://a.example/',
      'http://a.example/',
      'http://b.example/',
      'http://c.example/',
    ];
    expect(keep(urls, { 'db.max.outlinks.per.page': 2 })).toMatchObject({
      kept: [{ url: 'http://a.example/' }, { url: 'http://b.example/' }],
      dropped: { scheme: 1, self: 1, duplicate: 1, limit: 1 },
    });
  });

  it.each([
    [-1, 150],
    [100, 100],
    [0, 0],
  ])('with limit %i are %i of 150', (limit, count) => {
    const urls = Array.from({ length: 150 }, (_, i) => `http://a.example/${i}`);
    const { kept } = keep(urls, { 'db.max.outlinks.per.page': limit });
    expect(kept.map(({ url }) => url)).toEqual(urls.slice(0, count));
  });

  const places = [
    'http://www.site.org/x',
    'http://other.site.org/x',
    'http://else.where.org/x',
    'https://WWW.site.org/y',
  ];
  it.each([
    ['byHost', true, false, [0, 3]],
    ['byDomain', true, false, [0, 1, 3]],
    ['byHost', false, true, [1, 2]],
    ['byDomain', false, true, [2]],
    ['byHost', false, false, [0, 1, 2, 3]],
  ])('with mode %s, ignoring external %s and internal %s, are those at %j', (mode, external, internal, expected) => {
    const props = {
      'db.ignore.external.links': external,
      'db.ignore.external.links.mode': mode,
      ignoreInternalLinks: internal,
    };
    expect(keptUrls(places, props)).toEqual(expected.map((i) => places[i]));
  });

  it.each(['byHost', 'byDomain'])('%s are internal in both forms of an internationalized host', (mode) => {
    const props = { ...shipped, 'db.ignore.external.links': true, 'db.ignore.external.links.mode': mode };
    const link = { url: 'http://xn--bcher-kva.example/a', anchor: '' };
    expect(keepOutlinks([link], { url: 'http://bücher.example/' }, props, (url) => url).dropped).toEqual({});
  });

  it('pass the filters once for each distinct link', () => {
    let asked = 0;
    keep(
      Array.from({ length: 50 }, (_, i) => `http://a.example/${i % 5}`),
      {},
      (url) => {
        asked++;
        return url;
      },
    );
    expect(asked).toBe(5);
  });

  it('have anchors cut at db.max.anchor.length, never inside a character', () => {
    const found = [{ url: 'http://a.example/', anchor: `${'x'.repeat(99)}😀` }];
    expect(keepOutlinks(found, page, shipped, (url) => url).kept[0]?.anchor).toBe('x'.repeat(99));
  });

  it('account, together with those dropped, for every link exactly once', () => {
    const url = fc.constantFrom(
      'http://a.example/',
      'http://a.example/#f',
      'http://b.example/',
      'ftp://c/',
      page.url,
      'http://no.example/',
    );
    fc.assert(
      fc.property(fc.array(url, { maxLength: 20 }), fc.integer({ min: -1, max: 3 }), (urls, limit) => {
        const admit = (one: string) => (one.includes('//no.') ? null : withoutFragment(one));
        const { kept, dropped, verdicts } = keep(urls, { 'db.max.outlinks.per.page': limit }, admit);
        const sum = Object.values(dropped).reduce((a, b) => a + b, 0);
        expect(kept.length + sum).toBe(urls.length);
        expect(verdicts.filter((verdict) => verdict === null)).toHaveLength(kept.length);
        expect(new Set(kept.map((link) => link.url)).size).toBe(kept.length);
      }),
    );
  });
});

it('a nofollow link is dropped with that reason; a followed link to the same URL is kept', () => {
  const url = 'http://www.site.org/a';
  const found = [
    { url, anchor: '1', nofollow: true as const },
    { url, anchor: '2' },
    { url, anchor: '3', nofollow: true as const },
  ];
  const { kept, verdicts } = keepOutlinks(found, page, shipped, withoutFragment);
  expect([kept, verdicts]).toEqual([[{ url, anchor: '2' }], ['nofollow', null, 'nofollow']]);
});
