/** Plugins as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { idShape, mustBeId } from '../request/ids.js';
import { points } from '../../plugin/extension-points.js';

export class PluginsQuery {
  @ApiPropertyOptional({
    description: 'The configuration that says what is active, and in which order.',
    default: 'default',
    example: 'default',
  })
  @Matches(idShape, mustBeId)
  confId: string = 'default';
}

export class PluginPoint {
  @ApiProperty({
    description: "Nutch's name of the extension point.",
    enum: Object.values(points).map(({ name }) => name),
    example: 'URLFilter',
  })
  point!: string;

  @ApiProperty({
    description: 'Its position among the active plugins of the point, from 1; null when it is not active.',
    type: Number,
    nullable: true,
    example: 1,
  })
  order!: number | null;
}

export class PluginDto {
  @ApiProperty({ description: 'Id, as `plugin.includes` names it.', example: 'urlfilter-regex' })
  id!: string;

  @ApiProperty({
    description: "Nutch's class, as order properties name it.",
    example: 'org.apache.nutch.urlfilter.regex.RegexURLFilter',
  })
  className!: string;

  @ApiProperty({ description: 'What it does.', example: 'The first expression that is found in the URL decides.' })
  description!: string;

  @ApiProperty({
    description: 'The extension points that it serves; none for a part of a step that is only switched.',
    type: [PluginPoint],
  })
  points!: PluginPoint[];

  @ApiProperty({ description: '`built-in`, or the name of its file in PLUGIN_DIR.', example: 'built-in' })
  origin!: string;

  @ApiProperty({ description: 'Whether this configuration switches it on.', example: true })
  active!: boolean;

  @ApiProperty({ description: 'Ids of plugins that it requires.', type: [String], example: [] })
  requires!: string[];
}

export class PluginList {
  @ApiProperty({ description: 'All plugins, in the order in which they run where none is given.', type: [PluginDto] })
  plugins!: PluginDto[];

  @ApiProperty({
    description: 'Ids in `plugin.includes` that Nutch has and this server has not: they do nothing.',
    type: [String],
    example: [],
  })
  notBuilt!: string[];

  @ApiProperty({
    description: 'Ids in `plugin.includes` that no plugin has: most likely misspelt.',
    type: [String],
    example: [],
  })
  unknown!: string[];
}
