/** Shows what GENERATE would select now: runs its selection in a transaction that writes nothing. */
import { Injectable } from '@nestjs/common';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import type { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { previewBatch } from '../../cycle/generate/preview.js';
import { hasSqlState } from '../../db/sql-state.js';
import { Database } from '../database.js';
import { checkJobArgs } from '../job/check-job-args.js';
import { argRefused } from '../refused-fields.js';
import { requireCrawl } from '../request/require-crawl.js';
import { ConfRules } from './conf-rules.js';
import type { InspectGenerate, InspectedBatch } from './generate.dto.js';
import { inspectTooLong } from './inspect.problems.js';

const PREVIEW_MS = 10_000;
const MAX_HOSTS = 100;
const SAMPLED = 100;

@Injectable()
export class BatchInspector {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfRules,
  ) {}

  /** Throws CONFIG_ID_UNKNOWN, CRAWL_UNKNOWN, JOB_ARGS_INVALID, INSPECT_TOO_LONG. */
  async inspect({ crawlId, confId, args: rawArgs }: InspectGenerate): Promise<InspectedBatch> {
    const args = (await checkJobArgs('GENERATE', rawArgs, 'args.')).read as GenerateArgs;
    refuseLists(args);
    const conf = await this.confs.conf(confId);
    const crawl = await requireCrawl(this.database.pool, crawlId);
    const request = { crawl, conf, args, timeout: PREVIEW_MS };
    const preview = await previewBatch(this.database.pool, request, SAMPLED).catch(asProblem);
    const hosts = [...preview.byHost].sort(([, a], [, b]) => b - a);
    const byHost = hosts.slice(0, MAX_HOSTS).map(([host, count]) => ({ host: unreverseHost(host), count }));
    const { count, leftOut, complete, warning } = preview;
    return {
      count,
      byHost,
      hosts: hosts.length,
      leftOut,
      sample: preview.first.map(unreverseUrl),
      complete,
      warning,
    };
  }
}

function asProblem(error: unknown): never {
  if (hasSqlState(error, 'QUERY_CANCELED')) throw inspectTooLong('The selection', PREVIEW_MS / 1_000);
  throw error;
}

/** A batch from a seed list contains the pages of the list, due or not: nothing is selected. */
function refuseLists({ freegen }: GenerateArgs): void {
  if (freegen === undefined) return;
  throw argRefused('GENERATE', 'args.freegen', 'args.freegen names the pages of the batch, so nothing is selected');
}
