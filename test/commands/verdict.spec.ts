import { describe, expect, it } from 'vitest';
import type { InspectedUrl, PageDto } from '../../clients/typescript/src/generated/schemas.js';
import { pageTable } from '../../src/commands/demo/page-table.js';
import { verdictLines } from '../../src/commands/inspect/verdict.js';

/** Responses of the server as lines for a user. */

const found: InspectedUrl = {
  given: 'HTTP://a.test/x?y',
  normalized: 'http://a.test/x?y',
  key: 'test.a:http/x?y',
  host: 'a.test',
  domain: 'a.test',
  accepted: false,
  steps: [
    { plugin: 'pass', kind: 'normalizer', before: 'HTTP://a.test/x?y', after: 'HTTP://a.test/x?y', rules: [] },
    { plugin: 'basic', kind: 'normalizer', before: 'HTTP://a.test/x?y', after: 'http://a.test/x?y', rules: [] },
    { plugin: 'regex', kind: 'filter', before: 'http://a.test/x?y', after: null, rules: [{ number: 3, text: '-[?]' }] },
  ],
  decidedBy: { plugin: 'regex', rule: { number: 3, text: '-[?]' } },
  page: null,
  fetchable: { now: false, reasons: [{ code: 'FILTERED', blocks: true, message: 'regex refuses it.' }] },
};

describe('verdictLines of an inspected URL', () => {
  it('prints the reasons first, then the steps that changed something', () => {
    expect(verdictLines(found)).toEqual([
      'HTTP://a.test/x?y → http://a.test/x?y',
      'is not fetched now, because',
      '  FILTERED: regex refuses it.',
      '  normalizer basic makes it http://a.test/x?y',
      '  filter regex drops it (rule 3: -[?])',
    ]);
  });

  it('names a limit that refuses the URL without a rule number', () => {
    const rules = [{ number: 0, text: 'urlfilter.tld.length=2' }];
    const step = { plugin: 'validator', kind: 'filter' as const, before: 'http://a.test/', after: null, rules };
    expect(verdictLines({ ...found, steps: [step] })).toContain('  filter validator drops it (urlfilter.tld.length=2)');
  });

  it('prints reasons that do not block separately, with their time', () => {
    const reasons = [
      { code: 'HOST_BLOCKED' as const, blocks: false, message: 'Its host rests.', until: '2026-01-01T00:00:00Z' },
      { code: 'NOT_DUE' as const, blocks: false, message: 'Due 2027-01-01.', until: '2027-01-01' },
    ];
    const lines = verdictLines({ ...found, steps: [], fetchable: { now: true, reasons } });
    expect(lines.slice(1)).toEqual([
      'would be fetched now',
      'Also:',
      '  HOST_BLOCKED: Its host rests. (until 2026-01-01T00:00:00Z)',
      '  NOT_DUE: Due 2027-01-01.',
    ]);
  });

  it.each([
    [
      {
        state: 'rules',
        allowed: false,
        crawlDelay: 2,
        line: { number: 3, text: 'Disallow: /' },
        why: 'x',
        fetched: false,
      },
      'robots.txt: disallowed, line 3: Disallow: /; Crawl-delay 2 s',
    ],
    [{ state: 'allow', allowed: true, crawlDelay: null, line: null, why: null, fetched: true }, 'robots.txt: allowed'],
    [
      {
        state: 'not-asked',
        allowed: null,
        crawlDelay: null,
        line: null,
        why: 'the address is refused',
        fetched: false,
      },
      'robots.txt: not-asked, the address is refused',
    ],
  ] as const)('prints robots.txt %j as: %s', (robots, line) => {
    expect(verdictLines({ ...found, robots: { ...robots, delaySeconds: null, agents: [] } })).toContain(line);
  });
});

describe('pageTable', () => {
  const page = (more: Partial<PageDto>) =>
    ({
      url: 'http://a.test/',
      status: 'db_fetched',
      httpStatus: 200,
      title: null,
      redirectUrl: null,
      protocolStatus: null,
      ...more,
    }) as PageDto;

  it('aligns its columns, and ends each line with title, target or reason', () => {
    const pages = [
      page({ title: 'Home' }),
      page({ url: 'http://a.test/old', status: 'db_redir_perm', httpStatus: 301, redirectUrl: 'http://a.test/' }),
      page({
        status: 'db_gone',
        httpStatus: null,
        protocolStatus: { code: 18, name: 'ROBOTS_DENIED', args: ['line 3'] },
      }),
    ];
    expect(pageTable(pages).split('\n')).toEqual([
      'status         http  url                title, target or reason',
      'db_fetched     200   http://a.test/     Home',
      'db_redir_perm  301   http://a.test/old  → http://a.test/',
      'db_gone        -     http://a.test/     ROBOTS_DENIED line 3',
    ]);
  });
});
