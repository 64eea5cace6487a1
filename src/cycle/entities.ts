/** The entities of all tables. A table is written by its steps and its store alone; all code may read it. */
import { confEntities } from '../conf/entities.js';
import { SimhashBandEntity } from './dedup/simhash-band.entity.js';
import { PolitenessEntity } from '../politeness/politeness.entity.js';
import { RobotsEntity } from '../politeness/robots.entity.js';
import { InlinkEntity } from './inlink.entity.js';
import { PendingContributionEntity } from './updatedb/pending-contribution.entity.js';
import { WebgraphNodeEntity } from './webgraph/webgraph-node.entity.js';
import { UrlTemplateEntity } from './updatedb/url-template.entity.js';
import { JobEntity } from '../job/job.entity.js';
import { JobEventEntity } from '../job/job-event.entity.js';
import { JobTaskEntity } from '../job/job-task.entity.js';
import { RequestEntity } from '../job/idempotent-request.entity.js';
import { WebhookEntity } from '../job/webhook.entity.js';
import { WebhookDeliveryEntity } from '../job/webhook-delivery.entity.js';
import { WorkerEntity } from '../job/worker.entity.js';
import { SearchDocEntity } from '../search/search-doc.entity.js';
import { SearchPostingEntity } from '../search/search-posting.entity.js';
import { SearchSegmentEntity } from '../search/search-segment.entity.js';
import { SearchStoredEntity } from '../search/search-stored.entity.js';
import { BatchEntity } from '../webpage/batch.entity.js';
import { CrawlEntity } from '../webpage/crawl.entity.js';
import { DocumentDueEntity } from '../webpage/document-due.entity.js';
import { FetchHistoryEntity } from '../webpage/fetch-history.entity.js';
import { HostEntity } from '../webpage/host.entity.js';
import { PageContentEntity } from '../webpage/page-content.entity.js';
import { RemovedDocumentEntity } from '../webpage/removed-document.entity.js';
import { SignatureDueEntity } from '../webpage/signature-due.entity.js';
import { SitemapEntity } from '../webpage/sitemap.entity.js';
import { StatusCountEntity } from '../webpage/status-count.entity.js';
import { WebpageEntity } from '../webpage/webpage.entity.js';

export const entities = [
  ...confEntities,
  SimhashBandEntity,
  PolitenessEntity,
  RobotsEntity,
  InlinkEntity,
  PendingContributionEntity,
  UrlTemplateEntity,
  WebgraphNodeEntity,
  JobEntity,
  JobEventEntity,
  JobTaskEntity,
  RequestEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
  WorkerEntity,
  SearchDocEntity,
  SearchPostingEntity,
  SearchSegmentEntity,
  SearchStoredEntity,
  BatchEntity,
  CrawlEntity,
  FetchHistoryEntity,
  HostEntity,
  PageContentEntity,
  RemovedDocumentEntity,
  SignatureDueEntity,
  DocumentDueEntity,
  SitemapEntity,
  StatusCountEntity,
  WebpageEntity,
];
