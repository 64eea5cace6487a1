import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { nutchDifferences } from '../../core/conf/nutch-differences.js';
import { nutchLineOf } from '../../core/conf/nutch-names.js';
import { propertyNames, propertyOf } from '../../core/conf/properties.js';
import { groupOf } from '../../core/conf/property-groups.js';
import { namesWithoutMeaning, whyWithoutMeaning } from '../../core/conf/unsupported-properties.js';
import { Needs } from '../access/access.guard.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { AdmittedQuery } from '../request/admit.js';
import { listPage } from '../request/list-cursor.js';
import { PropertiesQuery, type PropertyDto, PropertyList } from './property.dto.js';

@ApiTags('config')
@Controller('v1/properties')
export class PropertyController {
  @Get()
  @Needs('read')
  @Operation(
    'List the properties',
    'The table of crawl properties: their meaning, allowed values and defaults, including those of external plugins. Properties of Nutch that have no meaning here are listed with the reason.',
  )
  @ApiOkResponse({ description: 'The properties.', type: PropertyList })
  @Problems(refusalOf(PropertiesQuery, { limit: '5000' }))
  list(@AdmittedQuery(PropertiesQuery) query: PropertiesQuery): PropertyList {
    const { prefix = '', q = '', group, limit, cursor } = query;
    const fits = (name: string, words: string): boolean =>
      name.startsWith(prefix) && `${name} ${words}`.toLowerCase().includes(q.toLowerCase());
    const matching = propertyNames
      .map(viewOf)
      .filter((property) => fits(property.name, property.description))
      .filter((property) => group === undefined || property.group === group)
      .filter(({ name }) => cursor === undefined || name > cursor);
    const { items: properties, cursor: next } = listPage(matching, limit, ({ name }) => name);
    const isWhole = cursor === undefined && group === undefined;
    return {
      properties,
      withoutMeaning: isWhole ? meaningless(fits) : [],
      cursor: next,
    };
  }
}

function meaningless(fits: (name: string, words: string) => boolean): PropertyList['withoutMeaning'] {
  return namesWithoutMeaning
    .map((name) => ({ name, reason: whyWithoutMeaning(name) ?? '' }))
    .filter(({ name, reason }) => fits(name, reason));
}

function viewOf(name: string): PropertyDto {
  const { kind, unit, defaultText, allowed, sentence } = propertyOf(name)!;
  const differs = Object.hasOwn(nutchDifferences, name) ? nutchDifferences[name] : undefined;
  return {
    name,
    kind,
    unit,
    default: defaultText,
    allowed,
    description: sentence,
    group: groupOf(name).id,
    nutchLine: nutchLineOf(name),
    ...(differs && { differs }),
  };
}
