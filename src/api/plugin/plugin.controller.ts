import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ConfStore } from '../../conf/conf.store.js';
import type { Conf } from '../../core/conf/properties.js';
import { chosenIds, isChosenByClass } from '../../plugin/chosen-by-class.js';
import { type Point, points } from '../../plugin/extension-points.js';
import { type ListedPlugin, activePlugins, inOrder, listedPlugins, pluginsFor } from '../../plugin/registry.js';
import { Needs } from '../access/access.guard.js';
import { Heavy, largeConf } from '../heavy/heavy.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown } from '../problem.js';
import { AdmittedQuery } from '../request/admit.js';
import { type PluginDto, PluginList, PluginsQuery } from './plugin.dto.js';

@ApiTags('config')
@Controller('v1/plugins')
export class PluginController {
  constructor(private readonly confs: ConfStore) {}

  @Get()
  @Heavy('query', largeConf)
  @Needs('read')
  @Operation(
    'List the plugins',
    'Every plugin, built in or from PLUGIN_DIR: what it does, which extension points it implements, and whether and in which order a configuration runs it.',
  )
  @ApiOkResponse({ description: 'The plugins.', type: PluginList })
  @Problems(confIdUnknown('c9'), refusalOf(PluginsQuery, { confId: 'a b' }))
  async list(@AdmittedQuery(PluginsQuery) { confId }: PluginsQuery): Promise<PluginList> {
    const conf = (await this.confs.find(confId))?.conf;
    if (conf === undefined) throw confIdUnknown(confId);
    const { active, onlyInNutch, unknown } = activePlugins(conf);
    const orders = ordersOf(conf, active);
    return {
      plugins: listedPlugins().map((listed) => viewOf(listed, active, orders)),
      notBuilt: [...onlyInNutch],
      unknown: [...unknown],
    };
  }
}

type Orders = ReadonlyMap<Point, readonly string[]>;

/** The ids of the active plugins of each point, in execution order; the chosen one for a point that runs only one. */
function ordersOf(conf: Conf, active: ReadonlySet<string>): Orders {
  const chosen = chosenIds(conf);
  return new Map(
    (Object.keys(points) as Point[]).map((point) => {
      if (isChosenByClass(point)) return [point, pluginsFor(point).flatMap(({ id }) => (chosen.has(id) ? [id] : []))];
      const { order } = points[point];
      return [point, inOrder(pluginsFor(point), active, order === null ? [] : conf[order]).map(({ id }) => id)];
    }),
  );
}

function viewOf({ plugin, origin }: ListedPlugin, active: ReadonlySet<string>, orders: Orders): PluginDto {
  const { id, className, description, requires = [] } = plugin;
  const served = (Object.keys(points) as Point[]).filter((point) => plugin[point] !== undefined);
  const ordered = served.map((point) => ({ point, position: (orders.get(point) ?? []).indexOf(id) + 1 }));
  return {
    id,
    className,
    description,
    points: ordered.map(({ point, position }) => ({
      point: points[point].name,
      order: position === 0 ? null : position,
    })),
    origin,
    active: ordered.length === 0 ? active.has(id) : ordered.some(({ position }) => position > 0),
    requires: [...requires],
  };
}
