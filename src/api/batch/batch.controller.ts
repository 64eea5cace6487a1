import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { batchNamed, findBatch, listBatches } from '../../webpage/batch.store.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { countParts } from '../../webpage/segment-parts.sql.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { batchUnknown, crawlUnknown } from '../problem.js';
import { AdmittedQuery } from '../request/admit.js';
import { listPage } from '../request/list-cursor.js';
import { requireCrawl } from '../request/require-crawl.js';
import { BatchDetail, BatchList, BatchQuery, BatchesQuery, batchView } from './batch.dto.js';

@ApiTags('batch')
@Controller('v1/batches')
export class BatchController {
  constructor(private readonly database: Database) {}

  @Get()
  @Needs('read')
  @Operation(
    'List batches',
    'The batches that GENERATE created in a crawl (segments in Nutch 1.x), in order of creation.',
  )
  @ApiOkResponse({ description: 'The batches.', type: BatchList })
  @Problems(refusalOf(BatchesQuery, { limit: '5000' }), crawlUnknown('k9'))
  async list(@AdmittedQuery(BatchesQuery) { crawlId, limit, cursor = '' }: BatchesQuery): Promise<BatchList> {
    const { pool } = this.database;
    const crawl = await requireCrawl(pool, crawlId);
    // One more is read than is returned: it shows whether there is a next page.
    const batches = await listBatches(pool, crawl, { after: cursor, limit: limit + 1 });
    const { items, cursor: next } = listPage(batches, limit, ({ segment }) => segment);
    return { batches: items.map(batchView), cursor: next };
  }

  @Get(':id')
  @Needs('read')
  @ApiParam({
    name: 'id',
    description: 'Batch, by its id or its segment name.',
    example: 'b1',
    type: String,
  })
  @Operation(
    'Read a batch',
    'A batch, and the number of its pages in each of the six parts of a segment. Pages are counted by their marks, after UPDATEDB by their visits; a page that is generated again is no longer counted.',
  )
  @ApiOkResponse({ description: 'The batch.', type: BatchDetail })
  @Problems(batchUnknown('20260131120000', 'k1'), refusalOf(BatchQuery, { crawlId: 'a b' }))
  async read(@Param('id') named: string, @AdmittedQuery(BatchQuery) { crawlId }: BatchQuery): Promise<BatchDetail> {
    const { pool } = this.database;
    const crawl = named.includes('\0') ? undefined : await knownCrawl(pool, crawlId);
    if (crawl === undefined) throw batchUnknown(named, crawlId);
    const batch = await findBatch(pool, crawl, await batchNamed(pool, crawl, named));
    if (batch === undefined) throw batchUnknown(named, crawlId);
    return { ...batchView(batch), parts: await countParts(pool, { crawl, ...batch }) };
  }
}
