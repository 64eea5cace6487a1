/** Plugins under /v1. */
import { Field, FieldOf, FieldOrNull } from '../openapi/fields.js';
import { points } from '../../plugin/extension-points.js';
import { ConfIdField } from '../request/ids.js';

export class PluginsQuery {
  @ConfIdField('The configuration that determines which plugins are active, and in which order.')
  confId: string = 'default';
}

export class PluginPoint {
  @Field("Nutch's name of the extension point.", 'URLFilter', { enum: Object.values(points).map(({ name }) => name) })
  point!: string;

  @FieldOrNull(Number, 'Its position among the active plugins of the point, from 1; null when it is not active.', 1)
  order!: number | null;
}

export class PluginDto {
  @Field('Id, as `plugin.includes` names it.', 'urlfilter-regex')
  id!: string;

  @Field("Nutch's class, as order properties name it.", 'org.apache.nutch.urlfilter.regex.RegexURLFilter')
  className!: string;

  @Field('What it does.', 'The first expression that is found in the URL decides.')
  description!: string;

  @FieldOf(
    [PluginPoint],
    'The extension points that it implements; empty for a part of a step that can only be switched on or off.',
  )
  points!: PluginPoint[];

  @Field('`built-in`, or the name of its file in PLUGIN_DIR.', 'built-in')
  origin!: string;

  @Field('Whether this configuration activates it.', true)
  active!: boolean;

  @FieldOf([String], 'Ids of plugins that it requires.', [])
  requires!: string[];
}

export class PluginList {
  @FieldOf([PluginDto], 'All plugins, in the default execution order.')
  plugins!: PluginDto[];

  @FieldOf(
    [String],
    'Ids in `plugin.includes` of Nutch plugins that this server does not have: they have no effect.',
    [],
  )
  notBuilt!: string[];

  @FieldOf([String], 'Unknown ids in `plugin.includes`: most likely misspelt.', [])
  unknown!: string[];
}
