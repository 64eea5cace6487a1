import { ApiParam } from '@nestjs/swagger';
import { fieldsInvalid, shown, withOptions } from '../problem.js';

/** Ids of configurations and seed lists; a crawl id may also be empty. */
export const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
export const crawlIdShape = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,127})?$/;
/** Job ids are longer than other ids: crawl, configuration, type and number in one. */
export const jobIdShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,299}$/;

export const ID_WORDS = '1 to 128 letters, digits, dots, dashes or underscores, a letter or digit first';
export const mustBeId = { message: `$property must be ${ID_WORDS}` };
export const mustBeCrawlId = { message: `$property must be empty, or ${ID_WORDS}` };

/** The id, when it has the shape of one. Throws FIELDS_INVALID. */
export function anId(field: string, given: unknown): string {
  if (typeof given === 'string' && idShape.test(given)) return given;
  const message = `${field} must be ${ID_WORDS} (given: ${shown(given)})`;
  throw withOptions(fieldsInvalid(`${message}.`), { errors: [{ field, message }] });
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
