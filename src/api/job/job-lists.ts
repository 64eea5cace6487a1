/**
 * The lists of lines that a job reads. Seeds become a stored list whatever form they were sent in (a path, a name, the lines
 * themselves), and the job names that list, so no job row contains megabytes.
 */
import type { SeedListStore } from '../../conf/seed-list.store.js';
import type { JobType } from '../../core/job/job-types.js';
import { jobArgsInvalid, jobSeedUnknown, ofField } from '../problem.js';
import { argRefused, fieldsRefused } from '../refused-fields.js';
import { isGiven } from '../request/is-given.js';
import { type AcceptedSeeds, newName, readSeedText } from '../seed/seed-input.js';
import type { JobConfig } from './job.dto.js';

/** Types whose argument `seed` is read, and stored as a list. */
const takesSeeds = (type: JobType): boolean => type === 'INJECT' || type === 'CRAWL';
const seedArgs = ['seedName', 'url_dir', 'seedDir'] as const;
/** Arguments that name a stored list of lines, besides seeds. */
const listArgs: Partial<Record<JobType, readonly string[]>> = {
  GENERATE: ['freegen'],
  SITEMAP: ['sitemapUrlDir', 'hostDir'],
};

/** The args, with the stored name of every list that the job reads. */
export async function withStoredLists(
  store: SeedListStore,
  request: JobConfig,
  seeds?: AcceptedSeeds,
): Promise<Record<string, unknown>> {
  const { type, args } = request;
  if (takesSeeds(type)) return withSeedList(store, request, seeds);
  // nutch-python repeats the arguments of earlier jobs, including any number of seeds, which this job does not use.
  const { seed: _, ...named } = args;
  for (const name of listArgs[type] ?? []) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    const list = await store.resolve(String(value));
    if (list === undefined) throw ofField(`args.${name}`, jobSeedUnknown(String(value)));
    named[name] = list;
  }
  return named;
}

/** The args with `seedName` naming a stored list, and without inline seeds. */
async function withSeedList(
  store: SeedListStore,
  { type, args: rawArgs }: JobConfig,
  seeds?: AcceptedSeeds,
): Promise<Record<string, unknown>> {
  const { seed: _, ...args } = rawArgs;
  const named = listNameIn(args);
  if (named !== undefined) {
    const path = String(args[named]);
    const name = await store.resolve(path);
    if (name === undefined) throw ofField(`args.${named}`, jobSeedUnknown(path, 'args.seed'));
    return { ...args, seedName: name };
  }
  if (seeds === undefined) {
    if (type === 'CRAWL') return args;
    throw argRefused(type, 'args.seedName', 'one of seedName, url_dir, seedDir and seed is required');
  }
  const name = newName();
  await store.save({ name, id: null, inline: true }, seeds.lines);
  return { ...args, seedName: name };
}

/** The stored lists that a job reads, by the names that `withStoredLists` returned. */
export const listsOf = (type: JobType, args: Record<string, unknown>): string[] =>
  [...(takesSeeds(type) ? ['seedName'] : []), ...(listArgs[type] ?? [])].flatMap((name) =>
    isGiven(args[name]) ? String(args[name]) : [],
  );

/** The argument that names a stored list of seeds. */
const listNameIn = (args: Record<string, unknown>): string | undefined => seedArgs.find((name) => isGiven(args[name]));

/** Whether the arguments of a job name seeds in any way. */
export const namesSeeds = (args: Record<string, unknown>): boolean =>
  isGiven(args['seed']) || listNameIn(args) !== undefined;

/** The seeds to store as a list of the job: of its argument `seed`, or checked ones of the request. Throws SEED_LIST_INVALID. */
export function inlineSeeds({ type, args }: JobConfig, read: object, checked?: string[]): AcceptedSeeds | undefined {
  if (checked) return { lines: checked.map((line) => ({ id: null, line })), notices: [] };
  if (!takesSeeds(type) || typeof args['seed'] !== 'string' || listNameIn(args) !== undefined) return undefined;
  return readSeedText(args['seed'], (read as { skipInvalid?: boolean }).skipInvalid ?? false);
}

/** Several names of a list are allowed, as clients of 1.x and 2.x send them; of lines and a list, one would be ignored. */
export function refuseSeedsTwice(type: JobType, args: Record<string, unknown>, at: string): void {
  if (!takesSeeds(type) || !isGiven(args['seed'])) return;
  const lists = seedArgs.filter((name) => isGiven(args[name])).map((name) => `${at}${name}`);
  if (lists.length === 0) return;
  const message = `${at}seed and ${lists.join(', ')} exclude each other: give one of seed, seedName, url_dir and seedDir`;
  const errors = [`${at}seed`, ...lists].map((field) => ({ field, message }));
  throw fieldsRefused(errors, (why) => jobArgsInvalid(type, why));
}
