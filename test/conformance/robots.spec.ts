import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../src/core/robots/robots-file.js';
import { judge } from '../../src/core/robots/robots-verdict.js';
import { groupOf, suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { withConformanceFolder } from '../support/left-out.js';

interface RobotsCase {
  id: string;
  robots: { text?: string; base64?: string };
  expect: { agent: string; url: string; allowed: boolean }[];
}

const contents = ({ robots }: RobotsCase) => robots.text ?? Buffer.from(robots.base64 ?? '', 'base64');

interface OwnVerdict {
  file: string;
  reason: string;
  /** Selects the rows of the file for which our verdict differs. */
  rows: (row: RobotsCase['expect'][number]) => boolean;
}

const ownVerdicts: OwnVerdict[] = [
  {
    file: 'stress/327748.textproto#0',
    reason: 'RFC 9309 §2.2.2: the URI /robots.txt is implicitly allowed',
    rows: ({ url }) => url.endsWith('/robots.txt'),
  },
  {
    file: 'SimpleRobotRulesParserTest:testRfpCases#0',
    reason:
      'the rows are those of unhipbot; a group "webcrawler, excite" with an empty disallow forbids nothing to excite',
    rows: ({ allowed }) => !allowed,
  },
  {
    file: 'SimpleRobotRulesParserTest:testMatchedWildcard#0',
    reason: 'the row is that of another agent: the same agent and URL stand in it with the opposite verdict too',
    rows: ({ url, allowed }) => url.endsWith('/search') && allowed,
  },
];

describe.each(['robotstxt-spec-test', 'google-robotstxt', 'crawler-commons', 'robots-parser'])(
  'robots.txt of %s',
  (suite) => {
    const rows = suiteOf<RobotsCase>('robots', suite).flatMap((file) =>
      file.expect.map((row) => ({ ...row, file, id: file.id })),
    );

    eachCase(rows)('$id: $agent may fetch $url: $allowed', (row) => {
      const verdict = judge(parseRobots(contents(row.file)), [row.agent], row.url);
      const ours = ownVerdicts.some((own) => own.file === row.id && own.rows(row));
      expect(verdict.allowed).toBe(ours ? !row.allowed : row.allowed);
    });
  },
);

describe('whole files of crawler-commons', () => {
  const files = suiteOf<RobotsCase>('robots', 'crawler-commons-files');

  eachCase(files)('$id is parsed without an exception, and every product token gets a verdict', (file) => {
    const robots = parseRobots(contents(file));
    for (const agent of [...robots.agents.keys(), 'nobody']) {
      expect(judge(robots, [agent], 'http://www.example.com/').allowed).toBeTypeOf('boolean');
    }
  });

  const delay = (id: string, agent: string) => {
    const file = files.find((each) => each.id === id);
    return file ? judge(parseRobots(contents(file)), [agent], '/').crawlDelay : undefined;
  };

  it.each([
    ['astore.amazon.com-robots.txt', 'mybot', 5],
    ['dos-line-endings.txt', 'mybot', 1],
    // A delay belongs to the agents named before it; it does not end the list of agents.
    ['crawl-delay-group-merging.txt', 'mybot', 10],
    ['crawl-delay-group-merging.txt', 'yourbot', null],
    ['crawl-delay-group-merging.txt', 'otherbot', 30],
  ])('%s sets for %s a crawl delay of %s s', withConformanceFolder, (id, agent, seconds) => {
    expect(delay(id, agent)).toBe(seconds);
  });

  it.each([
    ['extension-robots.txt', ['/sitemap.xml']],
    ['sitemap-robots-dedup.txt', ['http://example.org/sitemap.xml']],
    ['relative-sitemap-robots.txt', ['/sitemap.xml']],
  ])('%s lists the sitemaps %j', withConformanceFolder, (id, expected) => {
    const file = files.find((each) => each.id === id);
    const { sitemaps } = parseRobots(file ? contents(file) : '');
    expect(sitemaps).toEqual(expected);
  });
});

interface AgentsCase {
  n: number;
  agents: string[];
  url?: string;
  allowed?: boolean;
  crawl_delay_ms?: number | null;
  line?: string;
}

describe('robots.agents of Nutch', () => {
  const { cases, robots_txt } = groupOf<AgentsCase>('robots.agents');
  const robots = parseRobots(String(robots_txt));
  // We follow 1.x, which is RFC 9309: the groups of all our names count, not only the first (2.x).
  const of1x = cases.filter(({ line }) => !line?.startsWith('2.x'));

  eachCase(of1x)('case $n: $agents, $url', ({ agents, url, allowed, crawl_delay_ms: delay }) => {
    const verdict = judge(robots, agents, url ?? '/');
    if (allowed !== undefined) expect(verdict.allowed).toBe(allowed);
    if (delay !== undefined) expect(verdict.crawlDelay).toBe(delay === null ? null : delay / 1000);
  });
});
