import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ConfStore } from '../../conf/conf.store.js';
import type { Conf } from '../../conf/properties.js';
import { type Point, points } from '../../plugin/extension-points.js';
import { type ListedPlugin, activePlugins, inOrder, listedPlugins, pluginsFor } from '../../plugin/registry.js';
import { Needs } from '../access/access.guard.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, fieldsInvalid } from '../problem.js';
import { admit } from '../request/admit.js';
import { idWords } from '../request/ids.js';
import { type PluginDto, PluginList, PluginsQuery } from './plugin.dto.js';

@ApiTags('config')
@Controller('v1/plugins')
export class PluginController {
  constructor(private readonly confs: ConfStore) {}

  @Get()
  @Needs('read')
  @ApiQuery({ type: PluginsQuery })
  @ApiOperation({
    summary: 'List the plugins',
    description:
      'Every plugin, built in or from PLUGIN_DIR: what it does, which extension points it serves, and whether and in which place a configuration runs it.',
  })
  @ApiOkResponse({ description: 'The plugins.', type: PluginList })
  @Problems(confIdUnknown('c9'), fieldsInvalid(`confId must be ${idWords}.`))
  async list(@Query() query: unknown): Promise<PluginList> {
    const { confId } = admit(PluginsQuery, query).value;
    const conf = (await this.confs.find(confId))?.conf;
    if (conf === undefined) throw confIdUnknown(confId);
    const { active, notBuilt, unknown } = activePlugins(conf);
    const orders = ordersOf(conf, active);
    return {
      plugins: listedPlugins().map((listed) => viewOf(listed, active, orders)),
      notBuilt: [...notBuilt],
      unknown: [...unknown],
    };
  }
}

type Orders = ReadonlyMap<Point, readonly string[]>;

/** The ids of the active plugins of each point, in the order they run. */
function ordersOf(conf: Conf, active: ReadonlySet<string>): Orders {
  return new Map(
    (Object.keys(points) as Point[]).map((point) => {
      const { order } = points[point];
      return [point, inOrder(pluginsFor(point), active, order === null ? [] : conf[order]).map(({ id }) => id)];
    }),
  );
}

function viewOf({ plugin, origin }: ListedPlugin, active: ReadonlySet<string>, orders: Orders): PluginDto {
  const { id, className, description, requires = [] } = plugin;
  const served = (Object.keys(points) as Point[]).filter((point) => plugin[point] !== undefined);
  return {
    id,
    className,
    description,
    points: served.map((point) => {
      const place = orders.get(point)?.indexOf(id) ?? -1;
      return { point: points[point].name, order: place < 0 ? null : place + 1 };
    }),
    origin,
    active: active.has(id),
    requires: [...requires],
  };
}
