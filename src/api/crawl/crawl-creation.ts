/** Creates a CRAWL job from a request: its seeds are checked and stored, the other fields are the job's arguments. */
import { Injectable } from '@nestjs/common';
import { ConfStore } from '../../conf/conf.store.js';
import { SeedListStore } from '../../conf/seed-list.store.js';
import { linesOf } from '../../core/lines.js';
import { type CreatedJob, JobCreation } from '../job/job-creation.js';
import { JobConfig } from '../job/job.dto.js';
import { type FieldError, confIdUnknown, jobSeedUnknown, ofField, shown, withOptions } from '../problem.js';
import { fieldRefused, fieldsRefused, valueRefused } from '../refused-fields.js';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { admit } from '../request/admit.js';
import { isGiven } from '../request/is-given.js';
import { seedsMissing, seedsRefused } from './crawl.problems.js';
import { judgeSeeds } from './judge-seeds.js';

const MAX_SEEDS = 1_000_000;
/** Lines of a stored list that are checked before the crawl begins; INJECT checks the rest of a longer list. */
const JUDGED_LINES = 1_000;
/** Maximum number of refused seeds that an answer lists. */
const MAX_LISTED = 100;
/** Maximum number of lines of each kind that a notice names. */
const MAX_NOTICED = 10;
const ofCrawl = new Set(['seeds', 'seedName', 'crawlId', 'confId']);
/** Other fields by which a job of type CRAWL names its seeds: together with `seeds`, one of the two would be ignored. */
const ofJobs = ['url_dir', 'seedDir', 'seed'] as const;

/** The seeds of a crawl: lines of the request, or (the first) lines of a stored list. */
interface Seeds {
  lines: readonly unknown[];
  /** What a line is called in messages, by its position from 0. */
  nameOf: (at: number) => string;
  list?: string;
  /** Whether `lines` contains the whole list. */
  whole: boolean;
}

@Injectable()
export class CrawlCreation {
  constructor(
    private readonly jobs: JobCreation,
    private readonly confs: ConfStore,
    private readonly lists: SeedListStore,
  ) {}

  /**
   * Creates the crawl. Throws SEEDS_REFUSED, SEEDS_MISSING, FIELDS_INVALID, JOB_ARGS_INVALID, JOB_SEED_UNKNOWN,
   * CONFIG_ID_UNKNOWN.
   */
  async create(body: unknown, client: LimitedClient): Promise<CreatedJob> {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw fieldRefused(
        '',
        `The body must be an object such as {"seeds": ["https://site.test/"]}; given: ${shown(body)}`,
      );
    const fields = body as Record<string, unknown>;
    refuseSeedsOfJobs(fields);
    const args = Object.fromEntries(Object.entries(fields).filter(([name]) => !ofCrawl.has(name)));
    const { crawlId, confId } = fields;
    const { value: request } = admit(JobConfig, { type: 'CRAWL', crawlId, confId, args });
    const conf = await this.confs.findWithRules(request.confId);
    if (conf === undefined) throw confIdUnknown(request.confId);
    const seeds = await this.seedsOf(fields);
    if (seeds === null) return this.jobs.create(request, client, { at: '' });
    const judged = await judgeSeeds(seeds.lines, conf, seeds.nameOf);
    if (seeds.whole && judged.accepted === 0) throw seedsRefusal(judged.refused);
    const created = await this.jobs.create(
      seeds.list === undefined ? request : { ...request, args: { ...args, seedName: seeds.list } },
      client,
      { at: '', ...(seeds.list === undefined && { seedLines: judged.lines }) },
    );
    return {
      ...created,
      notices: [
        ...created.notices,
        ...noticesOf(judged.refused, 'are refused'),
        ...noticesOf(judged.doubtful, 'are doubtful'),
      ],
    };
  }

  /** Null: none are given. Then the crawl must have pages to continue with (JobCreation). */
  private async seedsOf({ seeds, seedName }: Record<string, unknown>): Promise<Seeds | null> {
    if (isGiven(seeds) && isGiven(seedName)) {
      const message = 'seeds and seedName exclude each other';
      throw fieldsRefused(['seeds', 'seedName'].map((field) => ({ field, message })));
    }
    if (isGiven(seedName)) return this.listed(seedName);
    if (!isGiven(seeds)) return null;
    const lines = typeof seeds === 'string' ? linesOf(seeds) : seeds;
    if (!Array.isArray(lines)) throw valueRefused('seeds', seeds, 'an array of URLs');
    if (lines.length === 0) throw seedsMissing('seeds is empty');
    if (lines.length > MAX_SEEDS)
      throw fieldRefused('seeds', `seeds has ${lines.length} entries; at most ${MAX_SEEDS} are accepted`);
    const nameOf = typeof seeds === 'string' ? lineOf('seeds') : (at: number) => `seeds[${at}]`;
    return { lines, nameOf, whole: true };
  }

  private async listed(seedName: unknown): Promise<Seeds> {
    if (typeof seedName !== 'string') throw valueRefused('seedName', seedName, 'the name of a seed list');
    const list = await this.lists.resolve(seedName);
    if (list === undefined) throw ofField('seedName', jobSeedUnknown(seedName, 'seeds'));
    const entries = await this.lists.entries(list, 0, JUDGED_LINES + 1);
    const lines = entries.slice(0, JUDGED_LINES).map(({ line }) => line);
    return { lines, nameOf: lineOf(`seed list ${list}`), list, whole: entries.length <= JUDGED_LINES };
  }
}

/** Lines are counted from 1, as in an editor. */
const lineOf =
  (text: string) =>
  (at: number): string =>
    `${text}, line ${at + 1}`;

function refuseSeedsOfJobs(fields: Record<string, unknown>): void {
  const field = ofJobs.find((name) => isGiven(fields[name]));
  if (field === undefined) return;
  const message = `${field} is not accepted here: give seeds, or the name of a stored list as seedName (given: ${shown(fields[field])})`;
  throw fieldRefused(field, message);
}

/** A sentence for each of the first faults, and the number of the others. */
function noticesOf(faults: readonly FieldError[], verdict: string): string[] {
  const more = faults.length - MAX_NOTICED;
  const named = faults.slice(0, MAX_NOTICED).map(({ message }) => `${message}.`);
  return more > 0 ? [`${faults.length} seeds ${verdict}.`, ...named, `And ${more} more ${verdict}.`] : named;
}

function seedsRefusal(refused: readonly FieldError[]) {
  if (refused.length === 0) return seedsMissing('The seeds are blank lines and comments only');
  const listed = refused.slice(0, MAX_LISTED);
  const more = refused.length > listed.length ? `; and ${refused.length - listed.length} more` : '';
  return withOptions(seedsRefused(`${listed.map(({ message }) => message).join('; ')}${more}`), { errors: listed });
}
