/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { JobInfo, SeedListDto, SeedListInput, SeedListJobInput } from './schemas.js';

/** Calls of the group `seed`. */
export class SeedCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Create a seed list
   * Stores the list, at most 16 MiB. Each line is checked; a list with bad lines is refused, or stored without them (`skipInvalid`). A list with the same name is replaced.
   * `POST /seed/create`
   */
  create(body: SeedListInput, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/seed/create',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * List the seed lists
   * Seed lists by name, with at most 100 seeds (and 8192 characters of them) of each; pass the last name as `after` to continue.
   * `GET /seed`
   */
  all(
    query: {
      /** Only lists whose names are after this one. */
      after?: string;
      /** Maximum number of lists. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<Record<string, SeedListDto>> {
    return this.transport.json<Record<string, SeedListDto>>({
      method: 'GET',
      path: '/seed',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Read a seed list
   * The list with its seeds from position `from`, at most `limit`.
   * `GET /seed/{name}`
   */
  read(
    name: string,
    query: {
      /** Position of the first seed to return; 0 is the first of the list. */
      from?: number;
      /** Maximum number of seeds. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<SeedListDto> {
    return this.transport.json<SeedListDto>({
      method: 'GET',
      path: `/seed/${segment(name)}`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Delete a seed list
   * Pages that were injected from it are kept; a job that still needs it fails.
   * `DELETE /seed/{name}`
   */
  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/seed/${segment(name)}`, options });
  }

  /**
   * Create a seed list and inject it
   * Stores the list as POST /seed/create does, and starts an INJECT job with it.
   * `POST /seedList`
   */
  inject(body: SeedListJobInput, options: CallOptions = {}): Promise<JobInfo> {
    return this.transport.json<JobInfo>({
      method: 'POST',
      path: '/seedList',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }
}
