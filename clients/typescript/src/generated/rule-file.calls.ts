/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { RuleFileDto, RuleFilesDto } from './schemas.js';

/** Calls of the group `ruleFile`. */
export class RuleFileCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read a rule file
   * The content as stored. The content of a file with auth, cookies, credentials, passwords or secrets in its name (`httpclient-auth.xml`) is never returned.
   * `GET /v1/rule-files/{name}`
   */
  read(name: string, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'GET',
      path: `/v1/rule-files/${segment(name)}`,
      accept: 'text/plain',
      options,
    });
  }

  /**
   * Store a rule file
   * Stores a file under a name that properties such as `urlfilter.regex.file` can refer to; an existing file with this name is replaced. A file with a name that Nutch ships (regex-urlfilter.txt …) is checked here, and replaces the shipped rules in every configuration that names no other file; any other file is checked when a configuration names it. Jobs that were created before keep their rules.
   * `PUT /v1/rule-files/{name}`
   */
  store(name: string, body: string, options: CallOptions = {}): Promise<RuleFileDto> {
    return this.transport.json<RuleFileDto>({
      method: 'PUT',
      path: `/v1/rule-files/${segment(name)}`,
      accept: 'application/json',
      body,
      bodyType: 'text/plain',
      options,
    });
  }

  /**
   * Delete a rule file
   * Jobs that were created with it keep its rules; with a configuration that names it no more jobs can be created, unless there are shipped rules with that name.
   * `DELETE /v1/rule-files/{name}`
   */
  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/v1/rule-files/${segment(name)}`, options });
  }

  /**
   * List rule files
   * Names, sizes and times, sorted by name, without the contents.
   * `GET /v1/rule-files`
   */
  list(
    query: {
      /** Maximum number of rule files. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<RuleFilesDto> {
    return this.transport.json<RuleFilesDto>({
      method: 'GET',
      path: '/v1/rule-files',
      accept: 'application/json',
      query,
      options,
    });
  }
}
