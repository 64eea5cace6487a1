import { DatabaseError } from 'pg';
import { DatabasePool } from '../../db/database-pool.js';
import { missingSocket } from '../../db/missing-socket.js';
import { commitsWait } from '../../db/server-settings.js';
import { hasSqlState } from '../../db/sql-state.js';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isMigrated } from '../../db/data-source.js';
import { withinTime } from '../../net/within-time.js';
import { Needs, Open } from '../access/access.guard.js';
import { hostNotAllowed } from '../access/access.problems.js';
import { Database } from '../database.js';
import { Field } from '../openapi/fields.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { notReady, requestMalformed } from '../problem.js';

const TIMEOUT_MS = 2_000;
const STANDBY_SILENT =
  'commits wait for a standby that does not confirm them: start it, or take it out of synchronous_standby_names';

class Health {
  @Field('`ok`.', 'ok')
  status!: 'ok';
}

@ApiTags('health')
@Controller('health')
export class HealthController {
  private migrated = false;

  constructor(private readonly database: Database) {}

  @Get('live')
  @Open()
  @ApiOperation({ summary: 'Is the process alive?', description: 'Requires no key.', security: [] })
  @ApiOkResponse({ description: 'It is.', type: Health })
  @Problems(requestMalformed('it has 0 Host headers instead of one (RFC 9112 §3.2)'), hostNotAllowed('site.test'))
  live(): Health {
    return { status: 'ok' };
  }

  @Get('ready')
  @Needs('read')
  @Operation('Is the server ready?', 'It is when the database responds, commits, and has the current schema.')
  @ApiOkResponse({ description: 'It is.', type: Health })
  @Problems(notReady('the database does not answer'))
  async ready(): Promise<Health> {
    const why = await this.reasonAgainst();
    if (why !== undefined) throw notReady(why);
    return { status: 'ok' };
  }

  /** Why the server is not ready; undefined when it is. */
  private async reasonAgainst(): Promise<string | undefined> {
    try {
      if (await within(TIMEOUT_MS, commitsWait(this.database.pool))) return STANDBY_SILENT;
      this.migrated ||= await within(TIMEOUT_MS, isMigrated(this.database.dataSource));
      return this.migrated ? undefined : 'the schema is not current';
    } catch (error) {
      if (hasSqlState(error, 'READ_ONLY')) return 'the database takes no writes: it is a replica, or read-only';
      const startError = this.database.startError();
      if (startError !== undefined) return startError;
      const refusal = this.refusal();
      if (refusal !== undefined) return `the database refuses connections: ${refusal}`;
      const socket = await missingSocket(this.database.pool);
      return `the database does not answer${socket === undefined ? '' : `: its socket ${socket} is missing; the embedded one is started again by itself, and the log of the server says what prevents that`}`;
    }
  }

  /** What PostgreSQL answers to new connections; undefined if it gives none, or no answer. */
  private refusal(): string | undefined {
    const { pool } = this.database;
    const failure = pool instanceof DatabasePool ? pool.connectFailure : undefined;
    return failure instanceof DatabaseError ? failure.message : undefined;
  }
}

const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withinTime(ms, work, () => {
    throw new Error('too late');
  });
