/** Parameters of the statements of steps, for pages of the seeded table. */
import type { Visited } from '../../src/cycle/fetch/fetch.sql.js';
import type { ParsedColumns } from '../../src/cycle/parsed-page.sql.js';
import type { Injected } from '../../src/cycle/inject/inject.sql.js';
import type { Contributor, UpdatedPage } from '../../src/cycle/updatedb/update-chunk.sql.js';
import type { SomePage } from './seeded.js';

const DAY_MS = 86_400_000;

export const parsed = (): ParsedColumns => ({
  title: 'A title',
  signature: 'f'.repeat(32),
  parseMajor: 1,
  parseMinor: 0,
  parseArgs: [],
  reprUrl: null,
  parsed: true,
  metadata: { language: 'en' },
  text: Buffer.from('text'),
  textLength: 4,
  charset: 'UTF-8',
  outlinkKeys: ['org.example:https/'],
  outlinkAnchors: ['example'],
});

export const visited = ({ host, key, mark }: SomePage): Visited => ({
  host,
  key,
  mark,
  status: 2,
  protocolCode: 1,
  protocolArgs: [],
  robotsLine: null,
  httpStatus: 200,
  contentType: 'text/html',
  url: 'https://site.test/',
  reprUrl: null,
  redirectUrl: null,
  redirectKey: 'org.example:https/elsewhere',
  etag: null,
  lastModified: null,
  content: { body: Buffer.from('content'), length: 7, headers: { server: 'test' }, truncated: null },
  parse: parsed(),
  ms: 1,
  bytes: 7,
  skipped: null,
  noted: {},
});

export const contributor = ({ host, key }: SomePage): Contributor => ({
  host,
  key,
  internalShare: 0.1,
  externalShare: 0.1,
  distance: 1,
  kind: 'link',
});

export const updatedPage = ({ host, key }: SomePage): UpdatedPage => ({
  host,
  key,
  status: 2,
  fetchTime: Date.now() + 30 * DAY_MS,
  prevFetchTime: Date.now(),
  fetchInterval: 2_592_000,
  retries: 0,
  modifiedTime: 0,
  prevModifiedTime: 0,
  givenBack: 0,
  unconditional: false,
});

export const injected = ({ host, key }: SomePage): Injected => ({
  host,
  key,
  score: 2,
  fetchInterval: null,
  status: null,
  metadata: {},
  mark: 'y',
});
