/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { JobConfig, JobEventDto, JobInfo, JobProgress } from './schemas.js';

/** Calls of the group `job`. */
export class JobCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List jobs
   * Jobs that have not ended, and the newest of the others. Queued jobs are jobs too. When there are older ones, the header `Link` has the address that goes on (RFC 8288, `rel="next"`).
   * `GET /job`
   */
  list(
    query: {
      /** Jobs of this crawl only. */
      crawlId?: string;
      /** Jobs in this state only; ANY for all. */
      state?: string;
      /** `cursor` of the answer before: goes on behind its last job. */
      cursor?: string;
      /** Jobs at most, the newest first; without a cursor, those that have not ended are shown besides, however old. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<JobInfo[]> {
    return this.transport.json<JobInfo[]>({ method: 'GET', path: '/job', accept: 'application/json', query, options });
  }

  /**
   * Create a job
   * Checks the arguments, takes a copy of the configuration, and queues the job. When a worker is free the job is RUNNING in the answer. A client that accepts text/plain and no JSON, or text/html rather than JSON as Java does by itself, gets the id (2.x), every other one the JobInfo (1.x).
   * `POST /job/create`
   */
  create(body: JobConfig, options: CallOptions = {}): Promise<JobInfo> {
    return this.transport.json<JobInfo>({
      method: 'POST',
      path: '/job/create',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Create a job
   * Checks the arguments, takes a copy of the configuration, and queues the job. When a worker is free the job is RUNNING in the answer. A client that accepts text/plain and no JSON, or text/html rather than JSON as Java does by itself, gets the id (2.x), every other one the JobInfo (1.x).
   * `POST /job/create`
   */
  createText(body: JobConfig, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/job/create',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Read a job
   * The job as it is now, with its counters so far.
   * `GET /job/{id}`
   */
  read(id: string, options: CallOptions = {}): Promise<JobProgress> {
    return this.transport.json<JobProgress>({
      method: 'GET',
      path: `/job/${segment(id)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Read the log of a job
   * What happened to the job, oldest first: moves of its state and its tasks, progress, warnings.
   * `GET /job/{id}/events`
   */
  events(
    id: string,
    query: {
      /** Events after the one of this id. */
      after?: string;
      /** Events at most. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<JobEventDto[]> {
    return this.transport.json<JobEventDto[]>({
      method: 'GET',
      path: `/job/${segment(id)}/events`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Stop a job (NutchServer)
   * No new work is begun, what is in hand is written, and the job ends FINISHED with reason `stopped`. A waiting job is KILLED.
   * `GET /job/{id}/stop`
   */
  stop(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'GET',
      path: `/job/${segment(id)}/stop`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Stop a job
   * No new work is begun, what is in hand is written, and the job ends FINISHED with reason `stopped`. A waiting job is KILLED.
   * `POST /job/{id}/stop`
   */
  postStop(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/job/${segment(id)}/stop`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Abort a job (NutchServer)
   * Connections are cut and the job ends KILLED; marks stay consistent.
   * `GET /job/{id}/abort`
   */
  abort(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'GET',
      path: `/job/${segment(id)}/abort`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Abort a job
   * Connections are cut and the job ends KILLED; marks stay consistent.
   * `POST /job/{id}/abort`
   */
  postAbort(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/job/${segment(id)}/abort`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Pause a job
   * What is in hand is written, then nothing more is begun until the job is resumed. It keeps its state and its locks.
   * `POST /job/{id}/pause`
   */
  pause(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/job/${segment(id)}/pause`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Resume a job
   * A paused job goes on where its marks say.
   * `POST /job/{id}/resume`
   */
  resume(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/job/${segment(id)}/resume`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Run a job again
   * Makes a job of the type, the crawl, the configuration and the arguments of one that has ended, those included that answers mask. The configuration is taken as it is now. A CRAWL first brings in the batch that the ended one left open (PARSE, UPDATEDB): its pages would not be due otherwise. A step that a crawl made is run by itself: run the crawl again for the rest.
   * `POST /v1/jobs/{id}/run-again`
   */
  runAgain(id: string, options: CallOptions = {}): Promise<JobInfo> {
    return this.transport.json<JobInfo>({
      method: 'POST',
      path: `/v1/jobs/${segment(id)}/run-again`,
      accept: 'application/json',
      options,
    });
  }
}
