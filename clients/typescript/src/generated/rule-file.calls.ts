/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { RuleFileDto, RuleFilesDto } from './schemas.js';

/** Calls of the group `ruleFile`. */
export class RuleFileCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read a rule file
   * The content as it was stored. Not that of a file of secrets: one with auth, cookies, credentials, passwords or secrets in its name (`httpclient-auth.xml`).
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
   * Under a name that a property such as `urlfilter.regex.file` may have; one of this name is replaced. Under the name that Nutch ships (regex-urlfilter.txt …) it is checked here, and takes the place of the shipped rules in every configuration that names no other; under any other name it is checked where a configuration names it. Jobs that were created before keep the rules they have.
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
   * Jobs that were created with it keep its rules; a configuration that names it makes no more jobs, unless the name is that of shipped rules.
   * `DELETE /v1/rule-files/{name}`
   */
  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/v1/rule-files/${segment(name)}`, options });
  }

  /**
   * List rule files
   * Names, sizes and times, by name; not what they say.
   * `GET /v1/rule-files`
   */
  list(
    query: {
      /** Rule files at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
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
