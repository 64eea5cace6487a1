/**
 * The schemas of jobs by `type`: the arguments that each type of job accepts, and the contents of its result. One class describes
 * all jobs (job.dto.ts); decorators cannot express that a field depends on another, so the schemas are divided here, in the
 * complete document.
 */
import type { OpenAPIObject } from '@nestjs/swagger';
import { type JobType, jobTypes, requestedTypes } from '../../core/job/job-types.js';
import { argsByType } from '../job/args-by-type.js';
import { type ResultShape, type Schema, failureSchema, resultShapes, warningsSchema } from './job-results.js';

type Schemas = Record<string, Schema>;

const reference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** `Inject` for INJECT: the prefix of the names of its schemas, as of its arguments. */
const prefixOf = (type: JobType): string => argsByType[type].name.replace(/Args$/, '');

/** Divides the schemas `JobConfig`, `JobInfo` and `JobProgress` by type, in place. */
export function typeJobs(document: OpenAPIObject): void {
  const schemas = document.components!.schemas as Schemas;
  for (const type of jobTypes) schemas[`${prefixOf(type)}Result`] = resultSchema(type, resultShapes[type]);
  divide(schemas, 'JobConfig', requestedTypes, (type) => ({ args: reference(argsByType[type].name) }));
  divide(schemas, 'JobInfo', jobTypes, (type) => ({
    args: {
      description: 'Its arguments as given: numbers and flags are strings if the client sent strings.',
      anyOf: [reference(argsByType[type].name), { type: 'object', additionalProperties: true }],
    },
    result: reference(`${prefixOf(type)}Result`),
  }));
  const { counters, waitsFor, children } = schemas['JobProgress']!.properties!;
  const withCounters = (name: string): Schema => ({
    allOf: [
      reference(name),
      { type: 'object', properties: { counters, waitsFor, children }, required: ['counters', 'waitsFor'] } as Schema,
    ],
  });
  schemas['JobProgress'] = withCounters('JobInfo');
  schemas['CrawlProgress'] = withCounters('CrawlJobInfo');
}

/** Replaces schema `name` by a union of one schema per type; their common fields are in `<name>Base`. */
function divide(
  schemas: Schemas,
  name: string,
  types: readonly JobType[],
  propertiesOf: (type: JobType) => Record<string, object>,
): void {
  const { description, properties = {}, required = [] } = schemas[name]!;
  const special = Object.keys(propertiesOf('INJECT'));
  const isCommon = (field: string): boolean => field !== 'type' && !special.includes(field);
  schemas[`${name}Base`] = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isCommon(field))),
    ...(required.some(isCommon) && { required: required.filter(isCommon) }),
  };
  for (const type of types) {
    schemas[`${prefixOf(type)}${name}`] = {
      allOf: [
        reference(`${name}Base`),
        {
          type: 'object',
          properties: {
            type: { type: 'string', enum: [type], description: 'The type of the job.' },
            ...propertiesOf(type),
          },
          required: ['type', ...special],
        } as Schema,
      ],
    };
  }
  schemas[name] = {
    ...(description !== undefined && { description }),
    oneOf: types.map((type) => reference(`${prefixOf(type)}${name}`)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(types.map((type) => [type, reference(`${prefixOf(type)}${name}`).$ref])),
    },
  };
}

const counterGroup = (description: string): Schema => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
});

function resultSchema(type: JobType, { reasons, counters, extra = {} }: ResultShape): Schema {
  return {
    type: 'object',
    nullable: true,
    description: `How a ${type} ended; null until then.`,
    properties: {
      result: { type: 'string', enum: ['0', '1', '-1'], description: '0 done, 1 nothing to do, -1 failed.' },
      reason: { type: 'string', enum: [...reasons], description: 'Why it ended.' },
      failure: failureSchema,
      warnings: warningsSchema,
      counters: {
        type: 'object',
        description: 'Group, name, number.',
        properties: Object.fromEntries(Object.entries(counters).map(([group, text]) => [group, counterGroup(text)])),
      },
      ...extra,
    },
    required: ['result', 'reason', 'counters'],
  };
}
