/** The root module of the API: one module per resource, and the providers that all of them share. */
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ConfStore } from '../conf/conf.store.js';
import { SeedListStore } from '../conf/seed-list.store.js';
import { JobStore } from '../job/job.store.js';
import { Searcher } from '../search/searcher.js';
import { AccessGuard } from './access/access.guard.js';
import { AdminController } from './admin/admin.controller.js';
import { AnswerStreams } from './answer/answer-streams.js';
import { ConfigController } from './config/config.controller.js';
import { Database } from './database.js';
import { DbController } from './db/db.controller.js';
import { CrawlDbReader } from './db/crawldb-reader.js';
import { HealthController } from './health/health.controller.js';
import { HeavyInterceptor } from './heavy/heavy.interceptor.js';
import { HeavyWork } from './heavy/heavy-work.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { ClaimWait } from './job/claim-wait.js';
import { WaitingLimits } from './job/waiting-jobs.js';
import { JobModule } from './job/job.module.js';
import { ApiDescription } from './openapi/api-description.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { BodyInterceptor } from './request/body.interceptor.js';
import { IdempotencyInterceptor } from './request/idempotency.interceptor.js';
import { UnknownNamesInterceptor } from './request/unknown-names.interceptor.js';
import { SeedController } from './seed/seed.controller.js';
import { PageModule } from './page/page.module.js';
import { SearchModule } from './search/search.module.js';
import { BatchModule } from './batch/batch.module.js';
import { HostModule } from './host/host.module.js';
import { InspectModule } from './inspect/inspect.module.js';
import { EventModule } from './event/event.module.js';
import { WebhookModule } from './webhook/webhook.module.js';
import { RuleFileModule } from './rule-file/rule-file.module.js';
import { CrawlModule } from './crawl/crawl.module.js';
import { PluginModule } from './plugin/plugin.module.js';
import { PropertyModule } from './property/property.module.js';
import { WorkerModule } from './worker/worker.module.js';
import { LegacyModule } from './legacy/legacy.module.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { ServerControl } from './server-control.js';

/** The providers that the resources share, created by `startApi`. */
export interface ApiProviders {
  database: Database;
  confs: ConfStore;
  seeds: SeedListStore;
  jobs: JobStore;
  searcher: Searcher;
  server: ServerControl;
  metrics: Metrics;
  streams: AnswerStreams;
  description: ApiDescription;
  claimWait: ClaimWait;
  limits: WaitingLimits;
  heavy: HeavyWork;
}

@Module({ controllers: [AdminController] })
class AdminModule {}

@Module({ controllers: [ConfigController] })
class ConfigModule {}

@Module({ imports: [JobModule], controllers: [SeedController] })
class SeedModule {}

@Module({ controllers: [DbController], providers: [CrawlDbReader] })
class DbModule {}

@Module({ controllers: [HealthController, MetricsController] })
class HealthModule {}

@Module({ controllers: [OpenApiController] })
class OpenApiModule {}

const everywhere: Provider[] = [
  { provide: APP_FILTER, useClass: ProblemFilter },
  { provide: APP_GUARD, useClass: AccessGuard },
  { provide: APP_INTERCEPTOR, useClass: HeavyInterceptor },
  { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
  { provide: APP_INTERCEPTOR, useClass: UnknownNamesInterceptor },
  { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
];

@Global()
@Module({
  imports: [
    AdminModule,
    ConfigModule,
    SeedModule,
    JobModule,
    DbModule,
    HealthModule,
    OpenApiModule,
    PageModule,
    SearchModule,
    BatchModule,
    HostModule,
    InspectModule,
    EventModule,
    WebhookModule,
    WorkerModule,
    RuleFileModule,
    CrawlModule,
    PluginModule,
    PropertyModule,
    LegacyModule,
    DashboardModule,
  ],
})
export class ApiModule {
  static with(providers: ApiProviders): DynamicModule {
    const provided = [
      { provide: Database, useValue: providers.database },
      { provide: ConfStore, useValue: providers.confs },
      { provide: SeedListStore, useValue: providers.seeds },
      { provide: JobStore, useValue: providers.jobs },
      { provide: Searcher, useValue: providers.searcher },
      { provide: ServerControl, useValue: providers.server },
      { provide: Metrics, useValue: providers.metrics },
      { provide: AnswerStreams, useValue: providers.streams },
      { provide: ApiDescription, useValue: providers.description },
      { provide: ClaimWait, useValue: providers.claimWait },
      { provide: WaitingLimits, useValue: providers.limits },
      { provide: HeavyWork, useValue: providers.heavy },
    ];
    return { module: ApiModule, providers: [...provided, ...everywhere], exports: provided };
  }
}
