import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** The examples in Swagger UI are valid requests, and the responses have the documented fields. */

type Schema = { properties: Record<string, { example?: unknown }>; required?: string[] };

let api: ApiUnderTest;
let document: OpenAPIObject;
beforeAll(async () => {
  api = await apiInOneProcess();
  await request(api.url)
    .put('/config/default/http.agent.name')
    .set('Content-Type', 'text/plain')
    .send('orbweaver-test');
  await request(api.url)
    .post('/job/create')
    .send({ type: 'INJECT', crawlId: 'k1', args: { seed: 'http://site.test/' } });
  document = (await request(api.url).get('/openapi.json')).body as OpenAPIObject;
});
afterAll(() => api?.close());

const schema = (name: string) => document.components?.schemas?.[name] as Schema;
const example = (name: string) =>
  Object.fromEntries(
    Object.entries(schema(name).properties)
      .map(([field, { example: value }]) => [field, value])
      .filter(([, value]) => value !== undefined),
  );

describe('examples of the inspector', () => {
  it.each([
    ['url', 'InspectUrl', 'InspectedUrl'],
    ['parse', 'InspectParse', 'InspectedPage'],
    ['robots', 'InspectRobots', 'InspectedRobots'],
    ['fetch', 'InspectFetch', 'InspectedFetch'],
    ['generate', 'InspectGenerate', 'InspectedBatch'],
    ['schedule', 'InspectSchedule', 'InspectedSchedule'],
  ])('POST /v1/inspect/%s accepts its example and returns the documented fields', async (path, asked, answered) => {
    const { status, body } = await request(api.url).post(`/v1/inspect/${path}`).send(example(asked));
    expect([status, body.detail]).toEqual([200, undefined]);
    const { required = [], properties } = schema(answered);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(Object.keys(body)).toEqual(expect.arrayContaining(required));
  });
});
