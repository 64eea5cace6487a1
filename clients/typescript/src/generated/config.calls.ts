/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { NutchConfig, PluginList, PropertyList } from './schemas.js';

/** Calls of the group `config`. */
export class ConfigCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List the configurations
   * The ids of all configurations; `default` is always the first.
   * `GET /config`
   */
  ids(options: CallOptions = {}): Promise<string[]> {
    return this.transport.json<string[]>({ method: 'GET', path: '/config', accept: 'application/json', options });
  }

  /**
   * Read a configuration
   * Every property as text, sorted by name: the defaults overridden by the params of the configuration, with `${name}` expanded (to at most 4,194,304 characters over all values; references beyond that are left unexpanded). Secrets are masked.
   * `GET /config/{id}`
   */
  read(id: string, options: CallOptions = {}): Promise<Record<string, string>> {
    return this.transport.json<Record<string, string>>({
      method: 'GET',
      path: `/config/${segment(id)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Create a configuration (2.x)
   * Same as POST /config/create: any word may replace `create`, and the id is read from the body.
   * `POST /config/{id}`
   */
  createByAnyWord(id: string, body: NutchConfig, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: `/config/${segment(id)}`,
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Delete a configuration
   * Jobs that were created with it keep their copy. `default` cannot be deleted.
   * `DELETE /config/{id}`
   */
  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/config/${segment(id)}`, options });
  }

  /**
   * Read one property
   * The value as text.
   * `GET /config/{id}/{property}`
   */
  readProperty(id: string, property: string, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'GET',
      path: `/config/${segment(id)}/${segment(property)}`,
      accept: 'text/plain',
      options,
    });
  }

  /**
   * Set one property
   * Jobs that were created before keep their copy of the configuration.
   * `PUT /config/{id}/{property}`
   */
  set(id: string, property: string, body: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({
      method: 'PUT',
      path: `/config/${segment(id)}/${segment(property)}`,
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Create a configuration
   * Copies the current configuration `default`, including its secrets and the name of the crawler, and overrides it with `params`; later changes of `default` do not affect the copy. `default` itself, with `force`, starts from the shipped defaults. A known property with an invalid value is refused; an unknown one is kept, and the header `Orbweaver-Notice` suggests the nearest known one; it also names properties that have no effect because of another one (`trap.template.similar.after` with MD5Signature). Properties that open internal addresses require an admin key, or a server that is bound to loopback without keys.
   * `POST /config/create`
   */
  create(body: NutchConfig, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/config/create',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * List the plugins
   * Every plugin, built in or from PLUGIN_DIR: what it does, which extension points it implements, and whether and in which order a configuration runs it.
   * `GET /v1/plugins`
   */
  pluginList(
    query: {
      /** The configuration that determines which plugins are active, and in which order. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<PluginList> {
    return this.transport.json<PluginList>({
      method: 'GET',
      path: '/v1/plugins',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * List the properties
   * The table of crawl properties: their meaning, allowed values and defaults, including those of external plugins. Properties of Nutch that have no meaning here are listed with the reason.
   * `GET /v1/properties`
   */
  propertyList(
    query: {
      /** Prefix of the name: `fetcher.`. */
      prefix?: string;
      /** Text to search for in names and descriptions, in any letter case. */
      q?: string;
      /** The group of properties. */
      group?:
        | 'schedule'
        | 'signature'
        | 'score'
        | 'table'
        | 'generate'
        | 'fetch'
        | 'robots'
        | 'request'
        | 'protocol'
        | 'parse'
        | 'index'
        | 'language'
        | 'url'
        | 'trap'
        | 'host'
        | 'search'
        | 'plugin'
        | 'history'
        | 'webhook'
        | 'other';
      /** Maximum number of properties. */
      limit?: number;
      /** `cursor` of the previous answer: continues after its last property. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<PropertyList> {
    return this.transport.json<PropertyList>({
      method: 'GET',
      path: '/v1/properties',
      accept: 'application/json',
      query,
      options,
    });
  }
}
