import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, Matches } from 'class-validator';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { ID_SHAPE, ID_SHAPE_OR_EMPTY, ID_WORDS } from '../../core/id-shape.js';
import { OptionalField } from '../openapi/fields.js';
import { valueRefused } from '../refused-fields.js';

/** Job ids are longer than other ids: crawl, configuration, type and number in one. */
export const JOB_ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,299}$/;

/** An id that looks like a number is no number: clients that send one learn that. */
const ID_TEXT = `a text of ${ID_WORDS}`;

export const mustBeId = { message: `$property must be ${ID_TEXT}` };
export const mustBeCrawlId = { message: `$property must be ${ID_TEXT}, or "" for the crawl without a name` };

/** A crawl: '' when none is named. Null means the same as a missing field. */
export const CrawlIdField = (description = 'The crawl.', example = 'k1'): PropertyDecorator =>
  applyDecorators(
    Matches(ID_SHAPE_OR_EMPTY, mustBeCrawlId),
    Transform(({ value }: { value: unknown }) => value ?? ''),
    OptionalField(description, example, { default: '', pattern: ID_SHAPE_OR_EMPTY.source }),
  );

/** A crawl, or undefined when none is named. */
export const OptionalCrawlIdField = (description: string): PropertyDecorator =>
  applyDecorators(
    Matches(ID_SHAPE_OR_EMPTY, mustBeCrawlId),
    IsOptional(),
    OptionalField(description, 'k1', { pattern: ID_SHAPE_OR_EMPTY.source }),
  );

/** A configuration: `default` when none is named. Null means the same as a missing field. */
export const ConfIdField = (description: string): PropertyDecorator =>
  applyDecorators(
    Matches(ID_SHAPE, mustBeId),
    Transform(({ value }: { value: unknown }) => value ?? 'default'),
    OptionalField(description, 'default', { default: 'default', pattern: ID_SHAPE.source }),
  );

/** The id of a configuration of which a copy is taken: `default` also for null and an empty text. */
export const CopiedConfId = (): PropertyDecorator =>
  applyDecorators(
    Matches(ID_SHAPE, mustBeId),
    Transform(({ value }: { value: unknown }) =>
      value === null || value === undefined || value === '' ? DEFAULT_CONF_ID : value,
    ),
  );

/** Returns the id if it is valid. Throws FIELDS_INVALID. */
export function anId(field: string, value: unknown): string {
  if (typeof value === 'string' && ID_SHAPE.test(value)) return value;
  throw valueRefused(field, value, ID_TEXT);
}

export const ConfIdParam = () =>
  ApiParam({ name: 'id', description: 'Id of a configuration.', example: 'default', type: String });
export const JobIdParam = () =>
  ApiParam({ name: 'id', description: 'Id of a job.', example: 'k1-default-CRAWL-1', type: String });
/** `{id}` of `/v1/crawls/{id}` (crawl-names.ts). */
export const CrawlNameParam = (example = 'k1') =>
  ApiParam({
    name: 'id',
    description: 'The crawl id; or the id of one of its jobs of type CRAWL.',
    example,
    type: String,
  });
export const SeedNameParam = () =>
  ApiParam({ name: 'name', description: 'Name of a seed list.', example: 's1', type: String });
