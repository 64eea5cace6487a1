import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import type { FieldValue, IndexDocument } from '../../src/core/indexing/index-document.js';
import type { IndexPage } from '../../src/core/indexing/index-page.js';
import { PAGE_STATUS } from '../../src/core/page/page-status.js';
import { verdictOf } from '../../src/core/indexing/index-verdict.js';
import { makeIndexing } from '../../src/plugin/indexing-filters.js';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { chosenWriter, openWriter } from '../plugin/chosen-writer.js';

/** Nutch's tests of indexing filters, of the CSV writer and of deletions, over the plugins as a configuration selects them. */

const PAGE: IndexPage = {
  key: 'com.example.www:http/',
  url: 'http://www.example.com/',
  representative: 'http://www.example.com/',
  status: PAGE_STATUS.fetched,
  title: '',
  text: '',
  type: '',
  headers: {},
  contentLength: null,
  content: null,
  fetchTime: 0,
  lastModified: null,
  score: 1,
  distance: 0,
  signature: '',
  batchId: '',
  segment: '',
  metadata: {},
  inlinks: [],
  outlinks: [],
};
/** Properties as the table of cases has them: `null` stands for one that is not set. */
type Given = Readonly<Record<string, unknown>>;

function confOf(plugins: string, given: Given) {
  const set = Object.entries(given).filter(([, value]) => value !== null);
  return parseConf({
    'plugin.includes': plugins,
    ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])),
  }).conf;
}

const documentOf = (plugins: string, page: Partial<IndexPage>, given: Given = {}): IndexDocument | null =>
  makeIndexing(confOf(plugins, given))({ ...PAGE, ...page });

const valuesOf = (document: IndexDocument | null, field: string): readonly FieldValue[] =>
  document!.fields.get(field) ?? [];
const url = (link: string) => ({ url: link, anchor: '' });
/** Only the properties of a case. */
const propertiesOf = (one: Given): Given =>
  Object.fromEntries(Object.entries(one).filter(([name]) => /^index\.|Filter\./.test(name)));

interface BasicCase {
  url: string;
  title_in: string;
  text_in: string;
  out: { tstamp_ms: number } & Record<string, string | number>;
}

describe('Nutch TestBasicIndexingFilter: index.basic', () => {
  const group = groupOf<BasicCase>('index.basic') as { cases: BasicCase[]; config?: Given };
  eachCase(group.cases)('case $n: $url', ({ url: page, title_in: title, text_in: text, out }) => {
    const { tstamp_ms: fetchTime, ...fields } = out;
    const document = documentOf('index-basic', { representative: page, title, text, fetchTime }, group.config);
    for (const [name, value] of Object.entries(fields))
      expect([name, ...valuesOf(document, name)]).toEqual([name, value]);
    expect(valuesOf(document, 'tstamp')).toEqual([new Date(fetchTime)]);
  });
});

interface AnchorCase {
  anchors: string[];
  out: string[];
  'anchorIndexingFilter.deduplicate': boolean;
}

describe('Nutch TestAnchorIndexingFilter: index.anchor', () => {
  eachCase(groupOf<AnchorCase>('index.anchor').cases)('case $n: $anchors', ({ anchors, out, ...given }) => {
    const inlinks = anchors.map((anchor, n) => ({ url: `http://test${n + 1}.com/`, anchor }));
    expect(valuesOf(documentOf('index-anchor', { inlinks }, propertiesOf(given)), 'anchor')).toEqual(out);
  });
});

interface MoreCase {
  n: number;
  content_type?: string;
  type_first?: string;
  mime?: string;
  type?: string[];
  content_disposition?: string;
  title_before?: string;
  title?: string;
  modifiedTime_s?: number;
  fetchTime_s?: number;
  date_s?: number;
  last_modified_s?: number;
  lastModified_s?: number;
}

describe('Nutch TestMoreIndexingFilter: index.more', () => {
  eachCase(groupOf<MoreCase>('index.more').cases)('case $n', (one) => {
    const { content_type: contentType, mime, content_disposition: disposition, title_before: title } = one;
    const modified = one.modifiedTime_s ?? one.last_modified_s;
    const type = mime ?? contentType?.split(';')[0] ?? '';
    const page: Partial<IndexPage> = {
      type,
      headers: {
        ...(disposition !== undefined && { 'content-disposition': disposition }),
        ...(one.last_modified_s !== undefined && {
          'last-modified': new Date(one.last_modified_s * 1_000).toUTCString(),
        }),
      },
      ...(title !== undefined && { title }),
      ...(modified !== undefined && { lastModified: modified * 1_000 }),
      ...(one.fetchTime_s !== undefined && { fetchTime: one.fetchTime_s * 1_000 }),
    };
    const document = documentOf('index-basic|index-more', page, propertiesOf({ ...one }));
    const expected: [string, unknown[] | undefined][] = [
      ['type', one.type],
      ['title', one.title === undefined ? undefined : [one.title]],
      ['date', one.date_s === undefined ? undefined : [new Date(one.date_s * 1_000)]],
      ['lastModified', one.lastModified_s === undefined ? undefined : [new Date(one.lastModified_s * 1_000)]],
    ];
    for (const [field, values] of expected)
      if (values) expect([field, ...valuesOf(document, field)]).toEqual([field, ...values]);
    if (one.type_first !== undefined) expect(valuesOf(document, 'type')[0]).toBe(one.type_first);
  });
});

interface StaticCase {
  config?: Given;
  'index.static': string;
  out?: Record<string, string>;
  fields?: number;
  contains?: Record<string, string>;
}

describe('Nutch TestStaticFieldIndexerTest: index.static (L2)', () => {
  eachCase(groupOf<StaticCase>('index.static').cases)('case $n', (one) => {
    const { fields } = documentOf('index-static', {}, { ...one.config, 'index.static': one['index.static'] })!;
    expect(fields.size).toBe(one.fields ?? Object.keys(one.out!).length);
    for (const [name, value] of Object.entries(one.contains ?? {})) expect(fields.get(name)).toContain(value);
  });
});

interface LinksCase {
  outlinks?: string[];
  inlinks?: string[];
  out: string[];
}

describe('Nutch TestLinksIndexingFilter: index.links', () => {
  eachCase(groupOf<LinksCase>('index.links').cases)('case $n', ({ outlinks, inlinks, out, ...given }) => {
    const links = { outlinks: (outlinks ?? []).map(url), inlinks: (inlinks ?? []).map(url) };
    const document = documentOf('index-links', links, propertiesOf(given));
    expect(valuesOf(document, outlinks ? 'outlinks' : 'inlinks')).toEqual(out);
  });
});

interface ReplaceCase {
  n: number;
  value: string;
  out: Record<string, string>;
}
/** Cases with invalid lines, which Nutch ignores: here the configuration is refused, with the line. */
const REFUSED_LINES = [2];

describe('Nutch TestIndexReplace: index.replace', () => {
  const group = groupOf<ReplaceCase>('index.replace') as { cases: ReplaceCase[]; fields?: Record<string, string> };
  eachCase(group.cases)('case $n', ({ n, value, out }) => {
    // index-metadata puts the fields of the case into the document.
    const given = {
      'index.replace.regexp': value,
      'index.parse.md': Object.keys(group.fields!).join(','),
      'indexingfilter.order': 'index-metadata index-replace',
    };
    const page = { url: 'http://www.example.com/page.html', metadata: group.fields! };
    const made = () => documentOf('index-metadata|index-replace', page, given);
    if (REFUSED_LINES.includes(n)) {
      expect(made).toThrow('index.replace.regexp');
      return;
    }
    for (const [name, replaced] of Object.entries(out))
      expect([name, ...valuesOf(made(), name)]).toEqual([name, replaced]);
  });
});

interface MimeCase {
  rules: string[] | null;
  allow?: string[];
  deny?: string[];
}

describe('Nutch MimeTypeIndexingFilterTest: index.mimetype', () => {
  eachCase(groupOf<MimeCase>('index.mimetype').cases)('case $n: $rules', ({ rules, allow = [], deny = [] }) => {
    const given = rules === null ? {} : { 'mimetype.filter.rules': rules.join('\n') };
    const kept = [...allow, ...deny].filter((type) => documentOf('mimetype-filter', { type }, given) !== null);
    expect(kept).toEqual(allow);
  });
});

interface JexlCase {
  n: number;
  expr: string | null;
  doc?: Record<string, string>;
  kept?: boolean;
  error?: boolean;
}
/** Nutch's filter fails without an expression; here it keeps all documents, as every other plugin without rules does. */
const WITHOUT_EXPRESSION = 3;

describe('Nutch TestJexlIndexingFilter: index.jexl', () => {
  eachCase(groupOf<JexlCase>('index.jexl').cases)('case $n: $expr', ({ n, expr, doc = {}, kept, error = false }) => {
    const given = {
      'index.jexl.filter': expr ?? '',
      'index.static': Object.entries(doc)
        .map((pair) => pair.join(':'))
        .join(','),
      'indexingfilter.order': 'index-static index-jexl-filter',
    };
    const made = () => documentOf('index-static|index-jexl-filter', {}, given);
    if (error && n !== WITHOUT_EXPRESSION) expect(made).toThrow('index.jexl.filter');
    else expect(made() !== null).toBe(kept ?? true);
  });
});

interface SubcollectionCase {
  white: string[];
  black: string[];
  url: string;
  member: boolean;
}

describe('Nutch TestSubcollection: subcollection', () => {
  eachCase(groupOf<SubcollectionCase>('subcollection').cases)(
    'case $n: $url',
    ({ white, black, url: page, member }) => {
      const rules = `<subcollections><subcollection><name>nutch</name><id>nutch</id>
      <whitelist>${white.join('\n')}</whitelist><blacklist>${black.join('\n')}</blacklist></subcollection></subcollections>`;
      const document = documentOf('subcollection', { url: page }, { 'subcollections.rules': rules });
      expect(valuesOf(document, 'subcollection')).toEqual(member ? ['nutch'] : []);
    },
  );
});

interface DeleteCase {
  n: number;
  db?: string;
  fetch?: string;
  parse?: string;
  robots?: string;
  action: string;
  'indexer.delete'?: boolean;
  'parser.delete.failed.parse'?: boolean;
  'indexer.delete.robots.noindex'?: boolean;
  'indexer.skip.notmodified'?: boolean;
}
const STATUS: Readonly<Record<string, number>> = {
  db_parse_failed: PAGE_STATUS.parseFailed,
  db_duplicate: PAGE_STATUS.duplicate,
  db_notmodified: PAGE_STATUS.notModified,
  fetch_gone: PAGE_STATUS.gone,
  fetch_redir_perm: PAGE_STATUS.redirPerm,
};

describe('Nutch TestIndexerMapReduce: index.delete', () => {
  eachCase(groupOf<DeleteCase>('index.delete').cases)('case $n: $action', (one) => {
    const status = STATUS[one.db ?? ''] ?? STATUS[one.fetch ?? ''] ?? PAGE_STATUS.fetched;
    const deletes = {
      // Here one property deletes all documents whose pages have none any more.
      gone: one['indexer.delete'] ?? one['parser.delete.failed.parse'] ?? false,
      noindex: one['indexer.delete.robots.noindex'] ?? false,
      skipNotModified: one['indexer.skip.notmodified'] ?? false,
    };
    const robots = one.robots ?? '';
    expect(verdictOf({ status, parsed: true, isSettled: false, robots }, deletes).do).toBe(one.action);
  });
});

interface CsvCase {
  config: Record<string, string | number>;
  doc: Record<string, string | string[]>;
  line: string;
}

describe('Nutch TestCSVIndexWriter: indexwriter.csv', () => {
  let folder: TemporaryFolder;
  beforeAll(async () => void (folder = await temporaryFolder()));
  afterAll(() => folder?.remove());

  eachCase(groupOf<CsvCase>('indexwriter.csv').cases)('case $n: $config', async ({ config, doc, line, ...rest }) => {
    const { n } = rest as unknown as { n: number };
    const parameters = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]));
    const path = join(folder.path, String(n));
    const csv = chosenWriter({ plugin: 'indexer-csv', parameters: { ...parameters, header: 'false' } });
    const writer = openWriter(csv, { folder: path });
    const fields = new Map(Object.entries(doc).map(([name, values]) => [name, [values].flat()]));
    await writer.write([
      { id: 'com.example:http/', url: 'http://example.com/', boost: 1, fields, fieldBoosts: new Map() },
    ]);
    await writer.commit();
    await writer.close();
    const charset = config['charset'] === 'iso-8859-1' ? 'latin1' : 'utf8';
    expect(await readFile(join(path, 'part-r-00000.csv'), charset)).toBe(`${line}\r\n`);
  });
});
