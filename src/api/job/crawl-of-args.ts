/**
 * Determines the crawl of a job: from the request, or from its arguments. Jobs of 1.x name their stores by paths
 * (`crawldb` k1/crawldb), which are used when the request names no crawl, and must not contradict it when it does.
 */
import { crawlOfPath } from '../../core/url/store-path.js';
import { knownArgs } from '../../cycle/args.js';
import type { JobType } from '../../core/job/job-types.js';
import { shown } from '../problem.js';
import { argRefused } from '../refused-fields.js';
import { anId } from '../request/ids.js';
import { argsByType } from './args-by-type.js';
import type { JobConfig } from './job.dto.js';

/** Arguments that are paths of stores. */
const STORES = ['crawldb', 'linkdb', 'hostdb', 'webgraphdb', 'segment_dir', 'segments_dir', 'dir'] as const;

export interface CrawlOfJob {
  crawlId: string;
  /** Sentences about paths that name no crawl. */
  notices: string[];
}

/**
 * @param at prefix of the arguments' field names in the request, for messages
 * Throws JOB_ARGS_INVALID for paths that name several crawls, or another one than the request, and FIELDS_INVALID for an
 * invalid name.
 */
export function crawlOfArgs({ type, crawlId, args }: JobConfig, at: string): CrawlOfJob {
  const requested = crawlAsked(type, args, at) ?? { field: 'crawlId', crawl: crawlId };
  const paths = pathsOf(type, args).map(({ name, path }) => ({
    field: `${at}${name}`,
    path,
    crawl: crawlOfPath(path),
  }));
  const named = paths.flatMap(({ field, crawl }) => (crawl === null ? [] : [{ field, crawl }]));
  const first = requested.crawl === '' ? named[0] : requested;
  const second = first && named.find(({ crawl }) => crawl !== first.crawl);
  if (second !== undefined) throw differing(type, first!, second);
  const crawl = first === undefined || first === requested ? requested.crawl : anId(first.field, first.crawl);
  const notices = paths.flatMap(({ field, path, crawl: none }) =>
    none === null && !field.endsWith('segment')
      ? `${field} names no crawl, as "k1/crawldb" does (given: ${shown(path)}): the job works on the crawl ${shown(crawl)}.`
      : [],
  );
  return { crawlId: crawl, notices };
}

/** UPDATEDB of 2.x: its argument `crawl` overrides the crawl of the request. */
function crawlAsked(
  type: JobType,
  args: Record<string, unknown>,
  at: string,
): { field: string; crawl: string } | undefined {
  const named = type === 'UPDATEDB' ? args['crawl'] : undefined;
  if (named === undefined || named === null || named === '') return undefined;
  return { field: `${at}crawl`, crawl: anId(`${at}crawl`, String(named)) };
}

/** The paths among the arguments that a type knows; a segment may be a bare name. */
function pathsOf(type: JobType, args: Record<string, unknown>): { name: string; path: string }[] {
  const names = knownArgs(argsByType[type]);
  const known = (name: string): boolean => names.has(name);
  const textsOf = (name: string): string[] =>
    [args[name]].flat().filter((path): path is string => typeof path === 'string' && path !== '');
  return [
    ...STORES.filter(known).flatMap((name) => textsOf(name).map((path) => ({ name, path }))),
    ...['segment'].filter(known).flatMap((name) => textsOf(name).map((path) => ({ name, path }))),
  ];
}

type Named = { field: string; crawl: string };

function differing(type: JobType, first: Named, second: Named): Error {
  const message = `${second.field} names the crawl ${shown(second.crawl)}, ${first.field} the crawl ${shown(first.crawl)}: name one crawl, or leave one of them out`;
  return argRefused(type, second.field, message);
}
