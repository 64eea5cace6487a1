/** What openapi.json allows in a request is what the server accepts: generated clients and testers read the bounds there. */
import { getMetadataStorage } from 'class-validator';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argsByType } from '../../src/api/job/args-by-type.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';
import { type Operation, type Schema, document } from './example-calls.js';

const JOB = 'k1-default-INJECT-1';
let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  const inject = { type: 'INJECT', crawlId: 'k1', args: { seed: 'http://site.test/' } };
  expect((await request(api.url).post('/job/create').send(inject)).body.id).toBe(JOB);
});
afterAll(() => api?.close());

const { schemas } = document.components;

/** An address of the path whose job or crawl exists. */
const addressOf = (path: string): string =>
  path.replace(/^(\/job|\/v1\/jobs)\/\{id\}/, `$1/${JOB}`).replaceAll(/\{\w+\}/g, 'k1');

/** The query parameters of all GET calls, each with the address of its call. */
const parameters = Object.entries(document.paths).flatMap(([path, { get }]) =>
  ((get as Operation | undefined)?.parameters ?? [])
    .filter((one) => one.in === 'query' && path !== '/admin/stop')
    .map(({ name, schema }) => ({ of: `${path} ${name}`, path: addressOf(path), name, schema: schema! })),
);

/** Why a call refuses the value of a query parameter; undefined if it does not. */
async function refusalOf(path: string, name: string, value: string): Promise<string | undefined> {
  const { body } = await request(api.url)
    .get(path)
    .query({ [name]: value });
  const { errors = [] } = body as { errors?: { field: string; message: string }[] };
  return errors.find(({ field }) => field === name)?.message;
}

describe('a query parameter', () => {
  it('that is one of some words names them in `enum`', async () => {
    const named: string[] = [];
    for (const { of, path, name, schema } of parameters.filter((one) => one.schema.type === 'string')) {
      const words = /must be one of the following values: (.*) \(given/.exec((await refusalOf(path, name, '?!')) ?? '');
      if (words === null) continue;
      named.push(name);
      expect(schema.enum, of).toEqual(words[1]!.split(', '));
    }
    expect(named).toEqual(expect.arrayContaining(['state', 'kind', 'until', 'as', 'expand', 'similarity']));
  });

  it('that refuses 1.5 has the type integer, and bounds beyond which a number is refused', async () => {
    const numbers = parameters.filter((one) => ['number', 'integer'].includes(one.schema.type!));
    expect(numbers.length).toBeGreaterThan(20);
    for (const { of, path, name, schema } of numbers) {
      expect(await refusalOf(path, name, '1.5'), of).toContain('must be an integer number');
      expect(schema.type, of).toBe('integer');
      expect(await refusalOf(path, name, String(schema.minimum! - 1)), of).toContain('must not be less than');
      expect(await refusalOf(path, name, String(schema.maximum! + 1)), of).toContain('must not be greater than');
    }
  });

  it('that must have a shape has it as `pattern`', async () => {
    for (const { of, path, name, schema } of parameters.filter((one) => ['crawlId', 'confId'].includes(one.name))) {
      expect(await refusalOf(path, name, 'a b'), of).toContain('must be a text of 1 to 128 letters');
      expect(schema.pattern, of).toBeDefined();
      expect('a b', of).not.toMatch(new RegExp(schema.pattern!));
      expect('k1.x-2_y', of).toMatch(new RegExp(schema.pattern!));
    }
  });
});

describe('an argument of a job', () => {
  it.each(Object.values(argsByType).map((type) => ({ name: type.name, type })))(
    'of $name that is a whole number has the type integer and the bounds that are checked',
    ({ name, type }) => {
      const checks = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
      const boundOf = (property: string, check: string): unknown =>
        checks.find((one) => one.propertyName === property && one.name === check)?.constraints?.[0];
      for (const { propertyName: property } of checks.filter((one) => one.name === 'isInt')) {
        const { type: given, minimum, maximum } = schemas[name]!.properties![property]!;
        expect([given, minimum], property).toEqual(['integer', boundOf(property, 'min')]);
        // Long.MAX_VALUE of Nutch's own callers is above the bound of a number that accepts it.
        if (maximum !== undefined) expect(maximum, property).toBe(boundOf(property, 'max'));
      }
    },
  );
});

describe('a field of a body', () => {
  it.each([
    ['/v1/inspect/schedule', 'page.retries', 'SchedulePage'],
    ['/v1/inspect/schedule', 'page.fetchInterval', 'SchedulePage'],
    ['/v1/inspect/schedule', 'outcome.httpStatus', 'ScheduleOutcome'],
  ])('of %s, %s, that refuses 1.5 has the type integer and its bounds', async (path, field, schema) => {
    const [outer, inner] = field.split('.') as [string, string];
    const { minimum, maximum, type } = schemas[schema]!.properties![inner] as Schema;
    expect(type).toBe('integer');
    for (const value of [1.5, minimum! - 1, maximum! + 1]) {
      const given = { page: {}, outcome: { httpStatus: 200 } };
      const { status, body } = await request(api.url)
        .post(path)
        .send({ ...given, [outer]: { [inner]: value } });
      expect([status, body.errors?.[0]?.field], String(value)).toEqual([400, field]);
    }
  });
});

describe('a field that is null or an object', () => {
  it('has a second schema that is no object, so that validators can be generated from it', () => {
    const nulls = JSON.stringify(document).match(/\{[^{}]*"enum":\[null\][^{}]*\}/g) ?? [];
    expect(nulls.length).toBeGreaterThan(10);
    expect(new Set(nulls)).toEqual(new Set(['{"type":"string","nullable":true,"enum":[null]}']));
  });
});

describe('a number that may need more than 32 bits', () => {
  interface Described {
    type?: unknown;
    format?: string;
    maximum?: number;
  }

  const numbers = (node: unknown): Described[] => {
    if (typeof node !== 'object' || node === null) return [];
    const inner = Object.entries(node).flatMap(([name, value]) => (name.startsWith('example') ? [] : numbers(value)));
    return ['number', 'integer'].includes((node as Described).type as string) ? [node as Described, ...inner] : inner;
  };

  it('has a format, by which generated clients of Java and Go read it whole', () => {
    const wide = numbers(document).filter(({ type, maximum }) => type === 'number' || !(maximum! <= 2 ** 31 - 1));
    expect(wide.length).toBeGreaterThan(100);
    for (const { type, format } of wide) expect(format).toBe(type === 'number' ? 'double' : 'int64');
  });

  it.each([
    ['a time in milliseconds', () => schemas['SchedulePage']!.properties!['fetchTime']],
    ['the limit of a crawl', () => schemas['CrawlRequest']!.properties!['limit']],
  ])('is, for example, %s', (_, field) => {
    expect(field()).toMatchObject({ type: 'integer', format: 'int64' });
  });
});

describe('GET /v1/crawls/{id}/pages', () => {
  it('names the refusal of an unknown batch, as GET /v1/pages does', () => {
    for (const path of ['/v1/pages', '/v1/crawls/{id}/pages'])
      expect(document.paths[path]!['get']!.responses['404']!.description, path).toContain('BATCH_UNKNOWN');
  });
});
