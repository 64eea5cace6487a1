import { describe, expect, it } from 'vitest';
import { domainOf } from '../../src/core/url/domain.js';
import { compileAutomatonFilter } from '../../src/core/url/filter-automaton.js';
import { compileDomainDenyFilter, compileDomainFilter } from '../../src/core/url/filter-domain.js';
import { compileFastFilter, type FastLimits } from '../../src/core/url/filter-fast.js';
import { compilePrefixFilter } from '../../src/core/url/filter-prefix.js';
import { compileRegexFilter } from '../../src/core/url/filter-regex.js';
import { compileSlashRules } from '../../src/core/url/normalize-slash.js';
import { compileSuffixFilter } from '../../src/core/url/filter-suffix.js';
import { makeValidator } from '../../src/core/url/filter-validator.js';
import { hostToAscii, hostToUnicode } from '../../src/core/url/idn.js';
import { hostLabels } from '../../src/core/url/ip-host.js';
import { escapeFragment, unescapeFragment } from '../../src/core/url/normalize-ajax.js';
import { normalizeBasic, type NormalizeBasicOptions } from '../../src/core/url/normalize-basic.js';
import { compileHostRules } from '../../src/core/url/normalize-host.js';
import { compileProtocolRules } from '../../src/core/url/normalize-protocol.js';
import { sortQuery } from '../../src/core/url/normalize-querystring.js';
import { compileRewrites, normalizeRegex } from '../../src/core/url/normalize-regex.js';
import { partitionHash, queueKeyOf } from '../../src/core/url/partition.js';
import { chooseRepresentative } from '../../src/core/url/representative.js';
import { resolveUrl } from '../../src/core/url/resolve.js';
import { reverseUrl, unreverseUrl } from '../../src/core/url/row-key.js';
import { hostOfUrl } from '../../src/core/url/url-components.js';
import { defaults } from '../../src/core/conf/properties.js';
import { passNormalizer } from '../../src/plugin/builtin/url-normalizers.js';
import { groupOf, suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { withConformanceFolder } from '../support/left-out.js';
import { publicSuffixOf } from '../support/public-suffix.js';

/** Numbers of the cases where our result differs, with our result and the reason. */
type Ours<T> = Record<number, readonly [answer: T, reason: string]>;

interface InOut {
  n: number;
  in: string;
  out: string;
  error?: boolean;
  config?: Record<string, string | boolean>;
}

const asWritten: NormalizeBasicOptions = { idn: '', idna2008: false, trimTrailingDot: false };

const optionsOf = (config: InOut['config'], base: NormalizeBasicOptions): NormalizeBasicOptions =>
  config
    ? {
        idn: (config['urlnormalizer.basic.host.idn'] ?? '') as NormalizeBasicOptions['idn'],
        idna2008: config['urlnormalizer.basic.host.idna2008'] === true,
        trimTrailingDot: config['urlnormalizer.basic.host.trim-trailing-dot'] === true,
      }
    : base;

describe.each([
  ['normalizer.basic', asWritten],
  ['normalizer.basic.trim-trailing-dot', { ...asWritten, trimTrailingDot: true }],
  ['normalizer.basic.idn', asWritten],
  ['normalizer.basic.malformed', asWritten],
] as const)('%s of Nutch', (id, base) => {
  eachCase(groupOf<InOut>(id).cases)('case $n: $in becomes $out', ({ in: url, out, error, config }) => {
    expect(normalizeBasic(url, optionsOf(config, base))).toBe(error ? null : out);
  });
});

describe('the normalizer of crawler-commons: urlnormalizer-basic, and urlnormalizer-querystring for its sorting', () => {
  const ours: Record<string, string> = {
    'line 202': 'drops an empty value, by which a server may tell one page from another',
    'line 211': 'drops a parameter without a name, which a server may read all the same',
  };
  const cases = suiteOf<{ id: string; input: string; expect: string }>('url', 'crawler-commons-normalize');

  eachCase(cases)('$id: $input becomes $expect', ({ id, input, expect: expected }) => {
    const given = sortQuery(normalizeBasic(input, { idn: 'toAscii', idna2008: true, trimTrailingDot: true }) ?? '');
    if (id in ours) expect(given).not.toBe(expected);
    else expect(given).toBe(expected);
  });
});

describe('normalizer.regex of Nutch', () => {
  interface RegexCase extends InOut {
    out_shipped_rules: string;
    out_with_index_page_rule: string;
  }
  const indexPages =
    '/((?i)index|default)\\.((?i)js[pf]{1}?[afx]?|cgi|cfm|asp[x]?|[psx]?htm[l]?|php[3456]?)(\\?|&amp;|#|$)';
  const rule = (pattern: string, substitution: string) =>
    `<regex><pattern>${pattern}</pattern><substitution>${substitution}</substitution></regex>`;
  const withIndexPages = `<?xml version="1.0"?>
    <!-- the shipped file, its second rule switched on -->
    <regex-normalize>${[
      rule('(?i)(;?\\b_?(l|j|bv_)?(sid|phpsessid|sessionid)=.*?)(\\?|&amp;|#|$)', '$4'),
      rule(indexPages, '/$3'),
      rule('#.*?(\\?|&amp;|$)', '$1'),
      rule('\\?&amp;', '\\?'),
      rule('&amp;{2,}', '&amp;'),
      rule('[\\?&amp;\\.]$', ''),
      rule('^file:/{2,}', 'file:/'),
      rule('(?&lt;!:)/{2,}', '/'),
    ].join('\n')}</regex-normalize>`;
  const { cases } = groupOf<RegexCase>('normalizer.regex.default');

  eachCase(cases)('case $n, shipped rules: $in becomes $out_shipped_rules', ({ in: url, out_shipped_rules: out }) => {
    expect(normalizeRegex(url, compileRewrites(''))).toBe(out);
  });

  const rewrites = compileRewrites(withIndexPages);
  eachCase(cases)('case $n, index pages folded: $in becomes $out_with_index_page_rule', (each) => {
    expect(normalizeRegex(each.in, rewrites)).toBe(each.out_with_index_page_rule);
  });

  const scope = groupOf<InOut>('normalizer.regex.scope');
  eachCase(scope.cases)('rules of a scope, case $n: $in becomes $out', ({ in: url, out }) => {
    const { pattern, substitution } = scope['rule'] as { pattern: string; substitution: string };
    expect(normalizeRegex(url, compileRewrites(`${pattern}\t${substitution}`))).toBe(out);
  });
});

describe.each([
  ['normalizer.host', compileHostRules],
  ['normalizer.slash', compileSlashRules],
  ['normalizer.protocol', compileProtocolRules],
] as const)('%s of Nutch', (id, compile) => {
  const { cases, rules } = groupOf<InOut>(id);
  const rewrite = compile(rules.join('\n'));

  eachCase(cases)('case $n: $in becomes $out', ({ in: url, out }) => {
    const { url: rewritten, rule } = rewrite(url);
    expect(rewritten).toBe(out);
    expect(rule === null).toBe(url === out);
  });
});

describe('normalizer.querystring, normalizer.ajax and normalizer.pass of Nutch', () => {
  eachCase(groupOf<InOut>('normalizer.querystring').cases)('case $n: $in becomes $out', ({ in: url, out }) => {
    expect(sortQuery(url)).toBe(out);
  });

  const ajax = groupOf<InOut & { scope: string }>('normalizer.ajax').cases;
  eachCase(ajax)('scope $scope, case $n: $in becomes $out', ({ in: url, out, scope }) => {
    expect(scope === 'indexer' ? unescapeFragment(url) : escapeFragment(url)).toBe(out);
  });

  eachCase(groupOf<InOut>('normalizer.pass').cases)('case $n: $in is unchanged', ({ in: url, out }) => {
    expect(passNormalizer.makeNormalizer(defaults, 'default').normalize(url)).toBe(out);
  });
});

interface FilterCase {
  n: number;
  url: string;
  accept: boolean;
  rules?: string[];
}

describe.each(['WholeWebCrawling', 'IntranetCrawling', 'Benchmarks', 'nutch1838'])('filter.regex.%s of Nutch', (id) => {
  const { cases, rules } = groupOf<FilterCase>(`filter.regex.${id}`);
  const filter = compileRegexFilter(rules.join('\n'));

  eachCase(cases)('case $n: $url is accepted: $accept', ({ url, accept }) => {
    expect(filter(url).accepted).toBe(accept);
  });
});

describe.each(['WholeWebCrawling', 'IntranetCrawling'])('filter.automaton.%s of Nutch', (id) => {
  const { cases, rules } = groupOf<FilterCase>(`filter.automaton.${id}`);
  const filter = compileAutomatonFilter(rules.join('\n'));

  eachCase(cases)('case $n: $url is accepted: $accept', ({ url, accept }) => {
    expect(filter(url).accepted).toBe(accept);
  });
});

describe('filter.prefix of Nutch', () => {
  const { cases, rules: usual } = groupOf<FilterCase>('filter.prefix');
  eachCase(cases)('case $n: $url is accepted: $accept', ({ url, accept, rules = usual }) => {
    expect(compilePrefixFilter(rules.join('\n'))(url).accepted).toBe(accept);
  });
});

const anyLength: FastLimits = {
  'urlfilter.fast.url.max.length': -1,
  'urlfilter.fast.url.path.max.length': -1,
  'urlfilter.fast.url.query.max.length': -1,
};

describe.each(['filter.fast', 'filter.fast.toplevel'])('%s of Nutch', (id) => {
  const { cases, rules } = groupOf<FilterCase>(id);
  const filter = compileFastFilter(rules.join('\n'), anyLength);

  eachCase(cases)('case $n: $url is accepted: $accept', ({ url, accept }) => {
    expect(filter(url).accepted).toBe(accept);
  });
});

describe('filter.fast.length of Nutch', () => {
  const { cases } = groupOf<FilterCase & { config: FastLimits; url_len?: number }>('filter.fast.length');
  eachCase(cases)(
    'case $n: $url with $config is accepted: $accept',
    ({ url, accept, config, url_len: length = url.length }) => {
      expect(compileFastFilter('', config)(url.padEnd(length, 'x')).accepted).toBe(accept);
    },
  );
});

describe('filter.validator of Nutch', () => {
  const filter = makeValidator(-1);
  eachCase(groupOf<FilterCase>('filter.validator').cases)('case $n: $url is accepted: $accept', ({ url, accept }) => {
    expect(filter(url).accepted).toBe(accept);
  });

  it.each([
    ['http://example.abcdefgh/', true],
    ['http://example.abcdefghi/', false],
    ['http://192.168.0.1/', true],
  ])('with a last label of at most 8 letters, as in 2.x, %s is accepted: %s', (url, accept) => {
    expect(makeValidator(8)(url).accepted).toBe(accept);
  });
});

describe('filter.suffix of Nutch', () => {
  eachCase(groupOf<FilterCase>('filter.suffix').cases)(
    'case $n: $url is accepted by $rules: $accept',
    ({ rules, url, accept }) => {
      expect(compileSuffixFilter((rules ?? []).join('\n'))(url).accepted).toBe(accept);
    },
  );
});

describe.each([
  ['filter.domain', compileDomainFilter],
  ['filter.domain.empty', compileDomainFilter],
  ['filter.domaindenylist', compileDomainDenyFilter],
] as const)('%s of Nutch', (id, compile) => {
  const { cases, rules } = groupOf<FilterCase>(id);
  const filter = compile(rules.join('\n'));

  eachCase(cases)('case $n: $url is accepted: $accept', ({ url, accept }) => {
    expect(filter(url).accepted).toBe(accept);
  });
});

interface KeyCase {
  n: number;
  url: string;
  key: string;
}

describe('key.reverse and key.unreverse of Nutch', () => {
  const ours: Ours<string> = {
    21: ['192.168.0.1:http/x', 'an address is no list of labels'],
    31: ['[--1]:http/', 'the first colon ends the host'],
  };
  const { cases } = groupOf<KeyCase>('key.reverse');

  eachCase(cases)('case $n: $url has the key $key', ({ n, url, key }) => {
    expect(reverseUrl(url)).toBe(ours[n]?.[0] ?? key);
  });

  eachCase(groupOf<KeyCase>('key.unreverse').cases)('case $n: $key is the key of $url', ({ url, key }) => {
    expect(unreverseUrl(key)).toBe(url);
  });

  it('sorts the seeds of the worked example by reversed host', withConformanceFolder, () => {
    const seeds = cases.filter(({ n }) => n >= 8 && n <= 15);
    expect(seeds.map(({ url }) => reverseUrl(url)).sort()).toEqual(seeds.map(({ key }) => key));
  });
});

interface UrlCase<T> {
  n: number;
  url: string;
  out: T;
}

const privateSuffix = 'uk.com is in the private section, which we read as well';

describe('url.* of Nutch', () => {
  const lastRule = 'where no rule of the public suffix list matches, its last one, `*`, does: intranets are one domain';
  const ownDomains: Ours<string> = { 7: ['co.uk.com', privateSuffix], 8: ['com.nn', lastRule] };
  eachCase(groupOf<UrlCase<string>>('url.domain').cases)('domain, case $n: of $url is $out', ({ n, url, out }) => {
    expect(domainOf(hostOfUrl(url))).toBe(ownDomains[n]?.[0] ?? out);
  });

  // 2.x reads a list of suffixes of its own; we follow 1.x.
  const of2x = groupOf<UrlCase<string> & { out_1x: string }>('url.domain.2x').cases;
  const own2x: Ours<string> = { 1: ['com.nn', lastRule] };
  eachCase(of2x)('domain as in 1.x, case $n: of $url is $out_1x', ({ n, url, out_1x: out }) => {
    expect(domainOf(hostOfUrl(url))).toBe(own2x[n]?.[0] ?? out);
  });

  const ownSuffixes: Ours<string> = { 6: ['uk.com', privateSuffix] };
  eachCase(groupOf<UrlCase<string | null>>('url.suffix').cases)(
    'suffix, case $n: of $url is $out',
    ({ n, url, out }) => {
      expect(publicSuffixOf(hostOfUrl(url))).toBe(ownSuffixes[n]?.[0] ?? out);
    },
  );

  eachCase(groupOf<UrlCase<string | null>>('url.tld').cases)(
    'top-level domain, case $n: of $url is $out',
    ({ url, out }) => {
      expect(publicSuffixOf(hostOfUrl(url))?.split('.').at(-1) ?? null).toBe(out);
    },
  );

  eachCase(groupOf<UrlCase<string[]>>('url.hostSegments').cases)(
    'labels, case $n: of $url are $out',
    ({ url, out }) => {
      expect(hostLabels(hostOfUrl(url))).toEqual(out);
    },
  );

  interface Pair {
    n: number;
    src: string;
    dst: string;
    temporary: boolean;
    representative: string;
  }
  eachCase(groupOf<Pair>('url.chooseRepr').cases)('case $n: $representative represents $src and $dst', (pair) => {
    expect(chooseRepresentative(pair.src, pair.dst, pair.temporary)).toBe(pair.representative);
  });

  const ownTargets: Ours<string> = {
    5: ['http://g/', 'WHATWG: a web URL has a path'],
    30: ['http://e.com/c', 'RFC 3986 §5.2.4: nothing lies above the root'],
  };
  interface Reference {
    n: number;
    base: string;
    ref: string;
    out: string;
  }
  eachCase(groupOf<Reference>('url.resolve').cases)('case $n: $ref on $base is $out', ({ n, base, ref, out }) => {
    expect(resolveUrl(ref, base)).toBe(ownTargets[n]?.[0] ?? out);
  });

  interface HostCase {
    n: number;
    ascii: string;
    unicode: string;
    standard: string;
    round_trip: boolean;
  }
  const { cases: hosts } = groupOf<HostCase>('url.idna.hosts');
  eachCase(hosts)('$standard, case $n: $unicode is $ascii', ({ ascii, unicode, standard, round_trip: roundTrip }) => {
    const is2008 = standard === 'IDNA2008';
    expect(hostToAscii(unicode, is2008)).toBe(ascii);
    if (roundTrip) expect(hostToUnicode(ascii, is2008)).toBe(unicode);
  });

  interface IdnCase extends InOut {
    fn: 'toASCII' | 'toUNICODE';
  }
  eachCase(groupOf<IdnCase>('url.idn').cases)('$fn, case $n: $in becomes $out', ({ fn, in: url, out }) => {
    const host = hostOfUrl(url);
    const converted = fn === 'toASCII' ? hostToAscii(host) : hostToUnicode(host);
    expect(url.toLowerCase().replace(host, converted ?? '')).toBe(out);
  });
});

describe('partition of Nutch', () => {
  interface PartitionCase {
    n: number;
    mode: string;
    url: string;
    partition: number;
    partitions: number;
    'partition.url.seed'?: number;
  }
  eachCase(groupOf<PartitionCase>('partition').cases)(
    'case $n: $url by $mode is in partition $partition of $partitions',
    (each) => {
      const hash = partitionHash(queueKeyOf(each.url, each.mode), each['partition.url.seed']);
      expect(hash % each.partitions).toBe(each.partition);
    },
  );
});

describe('references of crawler-commons', () => {
  const cases = suiteOf<{ id: string; input: string; base: string; expect: string }>('url', 'crawler-commons-resolve');
  eachCase(cases)('$id resolves to $expect', ({ input, base, expect: expected }) => {
    expect(resolveUrl(input, base)).toBe(expected);
  });
});
