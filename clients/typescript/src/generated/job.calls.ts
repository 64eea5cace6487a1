/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { JobConfig, JobEventDto, JobInfo, JobProgress } from './schemas.js';

/** Calls of the group `job`. */
export class JobCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List jobs
   * Jobs that have not ended, including queued ones, and the newest of the others. When there are older ones, the header `Link` contains the address of the next page, relative to that of the request (RFC 8288, `rel="next"`).
   * `GET /job`
   */
  list(
    query: {
      /** Only jobs of this crawl. */
      crawlId?: string;
      /** Only jobs in this state; ANY for all. */
      state?: 'IDLE' | 'RUNNING' | 'STOPPING' | 'KILLING' | 'FINISHED' | 'FAILED' | 'KILLED' | 'ANY';
      /** `cursor` of the previous answer: continues after its last job. */
      cursor?: string;
      /** Maximum number of jobs, newest first; without a cursor, all jobs that have not ended are added, however old. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<JobInfo[]> {
    return this.transport.json<JobInfo[]>({ method: 'GET', path: '/job', accept: 'application/json', query, options });
  }

  /**
   * Create a job
   * Checks the arguments, takes a copy of the configuration, and queues the job. If a worker is free, the job is RUNNING in the response. A client that accepts text/plain and no JSON, or that prefers text/html to JSON, as Java does by default, receives the id (2.x), every other client the JobInfo (1.x).
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
   * Checks the arguments, takes a copy of the configuration, and queues the job. If a worker is free, the job is RUNNING in the response. A client that accepts text/plain and no JSON, or that prefers text/html to JSON, as Java does by default, receives the id (2.x), every other client the JobInfo (1.x).
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
   * The events of the job, oldest first: state changes of the job and its tasks, progress, warnings.
   * `GET /job/{id}/events`
   */
  events(
    id: string,
    query: {
      /** Only events after the one with this id. */
      after?: string;
      /** Maximum number of events. */
      limit?: number;
      /** Only events of this kind. A stream still ends with `end`. */
      kind?: 'state' | 'task' | 'progress' | 'warning';
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
   * No new work is started, pages being processed are stored, and the job ends FINISHED with reason `stopped`. A waiting job is KILLED.
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
   * No new work is started, pages being processed are stored, and the job ends FINISHED with reason `stopped`. A waiting job is KILLED.
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
   * Connections are closed and the job ends KILLED; marks stay consistent.
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
   * Connections are closed and the job ends KILLED; marks stay consistent.
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
   * Pages being processed are stored, then no new work is started until the job is resumed. The job keeps its state and its locks.
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
   * A paused job continues; pages that it has completed are not processed again.
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
   * Creates a job with the type, crawl, configuration and arguments of a job that has ended, including arguments that are masked in responses. The current version of the configuration is used. A CRAWL first completes the batch that the ended one left open (PARSE, UPDATEDB): otherwise its pages would not be due. A step of a crawl is run alone: to run the rest, too, run the crawl again.
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
