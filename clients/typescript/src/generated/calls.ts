/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { AdminCalls } from './admin.calls.js';
import { BatchCalls } from './batch.calls.js';
import { ConfigCalls } from './config.calls.js';
import { CrawlCalls } from './crawl.calls.js';
import { DbCalls } from './db.calls.js';
import { EventCalls } from './event.calls.js';
import { HealthCalls } from './health.calls.js';
import { HostCalls } from './host.calls.js';
import { InspectCalls } from './inspect.calls.js';
import { JobCalls } from './job.calls.js';
import { LegacyCalls } from './legacy.calls.js';
import { PageCalls } from './page.calls.js';
import { RuleFileCalls } from './rule-file.calls.js';
import { SearchCalls } from './search.calls.js';
import { SeedCalls } from './seed.calls.js';
import { WebhookCalls } from './webhook.calls.js';
import { WorkerCalls } from './worker.calls.js';
import type { Transport } from '../transport.js';

/** Every call of the API, by group. */
export class Calls {
  readonly admin: AdminCalls;
  readonly batch: BatchCalls;
  readonly config: ConfigCalls;
  readonly crawl: CrawlCalls;
  readonly db: DbCalls;
  readonly event: EventCalls;
  readonly health: HealthCalls;
  readonly host: HostCalls;
  readonly inspect: InspectCalls;
  readonly job: JobCalls;
  readonly legacy: LegacyCalls;
  readonly page: PageCalls;
  readonly ruleFile: RuleFileCalls;
  readonly search: SearchCalls;
  readonly seed: SeedCalls;
  readonly webhook: WebhookCalls;
  readonly worker: WorkerCalls;

  constructor(protected readonly transport: Transport) {
    this.admin = new AdminCalls(transport);
    this.batch = new BatchCalls(transport);
    this.config = new ConfigCalls(transport);
    this.crawl = new CrawlCalls(transport);
    this.db = new DbCalls(transport);
    this.event = new EventCalls(transport);
    this.health = new HealthCalls(transport);
    this.host = new HostCalls(transport);
    this.inspect = new InspectCalls(transport);
    this.job = new JobCalls(transport);
    this.legacy = new LegacyCalls(transport);
    this.page = new PageCalls(transport);
    this.ruleFile = new RuleFileCalls(transport);
    this.search = new SearchCalls(transport);
    this.seed = new SeedCalls(transport);
    this.webhook = new WebhookCalls(transport);
    this.worker = new WorkerCalls(transport);
  }
}
