/**
 * Configurations as NutchServer has them: named sets of properties that jobs run with. Beyond Nutch's routes, invalid values are
 * refused with a reason, and a header names unknown properties that were accepted.
 */
import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Put,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { isMask } from '../../conf/secret-masks.js';
import { ConfStore, type PermitChange } from '../../conf/conf.store.js';
import { changedGuard, isGuarded, referringGuard } from '../../core/conf/admin-properties.js';
import { propertiesOfDefault } from '../../core/conf/properties.server.js';
import { type Params, noticeOn, parseConf, propertyNames } from '../../core/conf/properties.js';
import { nearestName } from '../../core/conf/nearest-name.js';
import { Needs } from '../access/access.guard.js';
import { clientOf } from '../access/client-identity.js';
import { principalOf } from '../access/access.js';
import { Heavy, largeChange, largeConf, largeNewConf } from '../heavy/heavy.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, confInvalid } from '../problem.js';
import { admit } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { ConfIdParam } from '../request/ids.js';
import { notice } from '../request/notice.js';
import { NutchConfig } from './config.dto.js';
import {
  confEmpty,
  confExists,
  confUnknown,
  defaultConfKept,
  propertyUnknown,
  valueMissing,
  guardedProperty,
} from './config.problems.js';
import { ineffectiveNotices } from './ineffective-properties.js';

const PropertyParam = () =>
  ApiParam({ name: 'property', description: 'Name of a property.', example: 'http.agent.name', type: String });

const badValue = confInvalid('Property fetcher.threads.fetch cannot be "0": it takes an integer from 1 to 1000.');
const guarded = guardedProperty('http.filter.ipaddress.exclude');

/** A route that creates a configuration and returns its id as text. */
const Makes = () =>
  applyDecorators(
    Needs('run'),
    HttpCode(200),
    Creates(),
    Heavy('compute', largeNewConf, true),
    Header('Content-Type', 'text/plain') as MethodDecorator,
    Problems(confEmpty(), confExists('c1'), refusalOf(NutchConfig, { configId: 'a b' }), badValue, guarded),
  );

@ApiTags('config')
@Controller('config')
export class ConfigController {
  constructor(private readonly confs: ConfStore) {}

  @Get()
  @Needs('read', 'user')
  @Operation('List the configurations', 'The ids of all configurations; `default` is always the first.')
  @ApiOkResponse({
    description: 'The ids.',
    schema: { type: 'array', items: { type: 'string' }, example: ['default', 'c1'] },
  })
  ids(): Promise<string[]> {
    return this.confs.ids();
  }

  @Get(':id')
  @Heavy('compute', largeConf)
  @Needs('read', 'user')
  @ConfIdParam()
  @Operation(
    'Read a configuration',
    'Every property as text, sorted by name: the defaults overridden by the params of the configuration, with `${name}` expanded (to at most 4,194,304 characters over all values; references beyond that are left unexpanded). Secrets are masked.',
  )
  @ApiOkResponse({
    description: 'Name and value of every property.',
    schema: {
      type: 'object',
      additionalProperties: { type: 'string' },
      example: { 'db.fetch.retry.max': '3', 'http.agent.name': 'bot' },
    },
  })
  @Problems(confUnknown('c9'))
  async read(@Param('id') id: string): Promise<Record<string, string>> {
    const shown = await this.confs.shown(id);
    if (shown === undefined) throw confUnknown(id);
    return shown;
  }

  @Get(':id/:property')
  @Heavy('compute', largeConf)
  @Needs('read', 'user')
  @ConfIdParam()
  @PropertyParam()
  @Header('Content-Type', 'text/plain')
  @Operation('Read one property', 'The value as text.')
  @ApiOkResponse({
    description: 'The value.',
    content: { 'text/plain': { schema: { type: 'string' }, example: 'bot' } },
  })
  @Problems(confUnknown('c9'), propertyUnknown('c1', 'http.agent.nam', 'http.agent.name'))
  async readProperty(@Param('id') id: string, @Param('property') name: string): Promise<string> {
    const shown = await this.confs.shown(id, name);
    if (shown === undefined) throw confUnknown(id);
    const value = shown[name];
    if (value === undefined) throw propertyUnknown(id, name, nearestName(name, propertyNames));
    return value;
  }

  @Post('create')
  @Makes()
  @ApiBody({ type: NutchConfig })
  @Operation(
    'Create a configuration',
    'Copies the current configuration `default`, including its secrets and the name of the crawler, and overrides it with `params`; later changes of `default` do not affect the copy. `default` itself, with `force`, starts from the shipped defaults. A known property with an invalid value is refused; an unknown one is kept, and the header `Orbweaver-Notice` suggests the nearest known one; it also names properties that have no effect because of another one (`trap.template.similar.after` with MD5Signature). ' +
      'Properties that open internal addresses require an admin key, or a server that is bound to loopback without keys.',
  )
  @ApiOkResponse({ description: 'The id.', content: { 'text/plain': { schema: { type: 'string' }, example: 'c1' } } })
  async create(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    if (body === undefined || body === null) throw confEmpty();
    const { configId, force = false, params: sentParams = {} } = admit(NutchConfig, body).value;
    const params = withoutMasks(sentParams);
    const merged = { ...(await this.confs.inherited(configId)), ...params };
    const id = await this.confs.create(configId, merged, force, {
      kept: Object.keys(sentParams).filter((name) => isMask(name, sentParams[name])),
      byAdmin: clientOf(request).kind !== 'key',
      permit: mayOpenGuards(request) ? undefined : this.permitOf(params),
    });
    if (id === undefined) throw confExists(configId ?? '');
    await this.noticeIneffective(id, sentParams, response);
    return id;
  }

  @Post(':id')
  @Makes()
  @ConfIdParam()
  @ApiBody({ type: NutchConfig })
  @ApiOperation({
    summary: 'Create a configuration (2.x)',
    description: 'Same as POST /config/create: any word may replace `create`, and the id is read from the body.',
    deprecated: true,
  })
  @ApiOkResponse({ description: 'The id.', content: { 'text/plain': { schema: { type: 'string' }, example: 'c1' } } })
  createByAnyWord(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.create(body, request, response);
  }

  @Put(':id/:property')
  @Needs('run')
  @Takes('value')
  @Heavy('compute', largeChange, true)
  @PropertyParam()
  @ConfIdParam()
  @ApiConsumes('text/plain', 'application/x-www-form-urlencoded', 'application/json')
  @ApiBody({
    description: 'The value: a text body (1.x), a form field `value` (2.x), or a JSON value.',
    schema: { type: 'string', example: 'bot' },
  })
  @Operation('Set one property', 'Jobs that were created before keep their copy of the configuration.')
  @ApiOkResponse({ description: 'Set. The body is empty.' })
  @Problems(valueMissing('http.agent.name'), confIdUnknown('c9', 'id'), badValue, guarded)
  async set(
    @Param() { id, property: name }: { id: string; property: string },
    @Body() value: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    if (value === undefined || value === null) throw valueMissing(name);
    const params = { [name]: value };
    const permit = mayOpenGuards(request) ? undefined : this.permitOf(params, name);
    const isKnown = isMask(name, value)
      ? (await this.confs.find(id)) !== undefined
      : await this.confs.setProperty(id, name, value, permit);
    if (!isKnown) throw permit && isGuarded(name) ? guardedProperty(name) : confIdUnknown(id, 'id');
    await this.noticeIneffective(id, params, response);
  }

  @Delete(':id')
  @Needs('admin')
  @Takes('none')
  @ApiParam({ name: 'id', description: 'Id of a configuration.', example: 'c1', type: String })
  @Operation('Delete a configuration', 'Jobs that were created with it keep their copy. `default` cannot be deleted.')
  @ApiOkResponse({ description: 'Deleted. The body is empty.' })
  @Problems(defaultConfKept(), confUnknown('c9'))
  async remove(@Param('id') id: string): Promise<void> {
    if (id === DEFAULT_CONF_ID) throw defaultConfKept();
    if (!(await this.confs.remove(id))) throw confUnknown(id);
  }

  /** Writes a notice for each given param that has no effect, with the reason. */
  private async noticeIneffective(id: string, params: Params, response: Response): Promise<void> {
    const stored = await this.confs.find(id);
    const inert = stored === undefined ? [] : ineffectiveNotices(withoutMasks(params), stored.conf);
    const unused = stored && new Set(stored.unused);
    const unknown = Object.keys(parseConf(params).extra).filter((name) => unused?.has(name) !== false);
    notice(response, [
      ...noticesOf(id, params),
      ...unknown.slice(0, MAX_NOTICED).map(noticeOn),
      ...inert.slice(0, MAX_NOTICED),
    ]);
  }

  /**
   * Throws PROPERTY_GUARDED when the given properties, guarded or not, change the effective value of a guarded property: in an
   * existing configuration, or in a new one compared with `default`.
   */
  private permitOf(params: Params, set?: string): PermitChange {
    return async (before, after) => {
      const refers = referringGuard(params);
      if (refers !== undefined) throw guardedProperty(refers);
      const inForce = before === undefined ? this.confs.inForceByDefault() : this.confs.inForce(before);
      const name = changedGuard(await inForce, await this.confs.effective(after));
      if (name !== undefined) throw guardedProperty(name, set);
    };
  }
}

const mayOpenGuards = (request: Request): boolean => principalOf(request)?.mayOpenGuards === true;

/** Params without masked secrets: a client may send what GET returned for another configuration. */
const withoutMasks = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([name, value]) => !isMask(name, value)));

/** Ineffective properties that the header mentions: about as many as fit into it. */
const MAX_NOTICED = 60;

/** Sentences about known params that have no effect, whatever the rest of the configuration is. */
function noticesOf(id: string, params: Params): string[] {
  const masks = Object.keys(params).filter((name) => isMask(name, params[name]));
  const { withheld } = parseConf(params);
  const elsewhere = propertiesOfDefault.filter((name) => id !== DEFAULT_CONF_ID && Object.hasOwn(params, name));
  return [
    ...masks.map((name) => `Property ${name} is left as it is: what was given is the mask of a secret.`),
    ...withheld
      .slice(0, MAX_NOTICED)
      .map(
        ({ property, secret }) =>
          `Property ${property} refers to the secret ${secret}, which is not inserted: the reference is kept as written.`,
      ),
    ...elsewhere.map(
      (name) => `Property ${name} changes nothing here: it counts in configuration ${DEFAULT_CONF_ID} only.`,
    ),
  ];
}
