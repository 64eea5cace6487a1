import type { CrawlRequest } from '../../../clients/typescript/src/generated/schemas.js';
import { MAX_WORKERS } from '../../conf/env.js';
import { usageError } from '../exit-codes.js';
import { serverOptions } from '../connect-server.js';
import { httpUrl, keyValues, pageStatuses, readWords, refuseTwoConfs, wholeNumber } from '../parse-args.js';

const options = {
  ...serverOptions,
  rounds: { type: 'string' },
  'top-n': { type: 'string' },
  limit: { type: 'string' },
  scope: { type: 'string' },
  agent: { type: 'string' },
  conf: { type: 'string', multiple: true },
  'conf-id': { type: 'string' },
  out: { type: 'string' },
  status: { type: 'string' },
  'crawl-id': { type: 'string' },
  workers: { type: 'string' },
  index: { type: 'boolean' },
  ranks: { type: 'boolean' },
  text: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

const SCOPES = ['host', 'domain', 'any'] as const;

export interface CrawlOptions {
  readonly request: CrawlRequest & { readonly seeds: string[] };
  /** Properties that were given, `http.agent.name` among them. */
  readonly conf: Readonly<Record<string, string>>;
  /** A configuration of the server, instead of `conf`. */
  readonly confId: string | undefined;
  readonly crawlId: string | undefined;
  readonly out: string | undefined;
  readonly status: string | undefined;
  readonly server: string | undefined;
  readonly data: string | undefined;
  readonly workers: number | undefined;
  /** Lines contain the text of their pages. */
  readonly text: boolean;
  readonly quiet: boolean;
}

/** @throws StartError `environment`, which names the wrong word */
export function readCrawlOptions(words: readonly string[]): CrawlOptions {
  const { values, positionals } = readWords('crawl', words, options);
  if (positionals.length === 0)
    throw usageError('crawl', 'which URL? For example: orbweaver crawl https://nutch.apache.org/');
  const number = (name: 'rounds' | 'top-n' | 'limit') => wholeNumber('crawl', name, values[name]);
  const [rounds, topN, limit] = [number('rounds'), number('top-n'), number('limit')];
  refuseTwoConfs('crawl', values);
  return {
    request: {
      seeds: positionals.map((url) => httpUrl('crawl', 'a seed', url)),
      scope: scopeOf(values.scope),
      ...(rounds && { rounds }),
      ...(topN && { topN }),
      ...(limit && { limit }),
      ...(values.index && { index: true }),
      ...(values.ranks && { ranks: true }),
    },
    conf: { ...keyValues('crawl', '--conf', values.conf), ...(values.agent && { 'http.agent.name': values.agent }) },
    confId: values['conf-id'],
    crawlId: values['crawl-id'],
    out: values.out,
    status: pageStatuses('crawl', values.status),
    server: values.server,
    data: values.data,
    workers: wholeNumber('crawl', 'workers', values.workers, MAX_WORKERS),
    text: values.text ?? false,
    quiet: values.quiet ?? false,
  };
}

function scopeOf(text = 'host'): (typeof SCOPES)[number] {
  const scope = SCOPES.find((name) => name === text);
  if (!scope) throw usageError('crawl', `--scope takes ${SCOPES.join(', ')}; given: "${text}"`);
  return scope;
}
