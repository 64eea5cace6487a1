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
   * Every property as text, sorted by name: the defaults with the params of the configuration over them, `${name}` expanded (of all values together at most 4,194,304 characters; what goes beyond stands as written). Secrets are masked.
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
   * As POST /config/create: any word stands for `create`, and the id comes from the body.
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
   * Jobs that were created with it keep what they have. `default` stays.
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
   * Jobs that were created before keep the configuration they have.
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
   * Starts from what configuration `default` says now, its secrets and the name of the crawler included, and lays `params` over that; later changes of `default` do not reach it. `default` itself, with `force`, starts from the shipped defaults. A known property with a bad value is refused; an unknown one is kept, and the header `Orbweaver-Notice` names the nearest known one; it also names properties that change nothing because of another one (`trap.template.similar.after` with MD5Signature). Properties that open inner addresses need an admin key, or a server that is bound to loopback without keys.
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
   * Every plugin, built in or from PLUGIN_DIR: what it does, which extension points it serves, and whether and at which position a configuration runs it.
   * `GET /v1/plugins`
   */
  pluginList(
    query: {
      /** The configuration that says what is active, and in which order. */
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
   * The table of crawl properties: what each does, takes and is by default. Those of plugins from outside are in it. Properties of Nutch that mean nothing here come with the reason.
   * `GET /v1/properties`
   */
  propertyList(
    query: {
      /** Beginning of the name: `fetcher.`. */
      prefix?: string;
      /** Words to look for in names and meanings, in any case. */
      q?: string;
      /** What they are about. */
      group?: string;
      /** Properties at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind its last property. */
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
