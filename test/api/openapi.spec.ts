import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { format, resolveConfig } from 'prettier';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemCodes } from '../../src/api/problem.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';
import { type NullableSchema, acceptsNull } from './refused-nulls.js';
import { routesOf } from './route-table.js';

const committed = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const program = fileURLToPath(new URL('../../dist/src/api/openapi/openapi.main.js', import.meta.url));

interface JsonBody {
  content: { 'application/json': { schema: { $ref: string }; examples?: Record<string, { value: unknown }> } };
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  responses: Record<string, { description?: string }>;
}

interface ObjectSchema {
  properties: Record<string, object>;
}

async function sourcesOf(layer: string): Promise<string[]> {
  const folder = fileURLToPath(new URL(`../../src/${layer}`, import.meta.url));
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

let api: ApiUnderTest;
let document: OpenAPIObject;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  document = (await request(api.url).get('/openapi.json')).body as OpenAPIObject;
});
afterAll(() => api?.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
    })),
  );

describe('GET /openapi.json', () => {
  it('equals the committed openapi.json and what npm run openapi writes', async () => {
    expect(document).toEqual(JSON.parse(await readFile(committed, 'utf8')));
    const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 2 ** 24 });
    const config = await resolveConfig(committed);
    await expect(await format(stdout, { ...config, filepath: committed })).toMatchFileSnapshot(committed);
  });

  it('describes every operation and each of its responses', () => {
    for (const { name, operation } of operations()) {
      expect(operation.summary, name).toBeTruthy();
      expect(operation.description, name).toBeTruthy();
      expect(operation.tags, name).toHaveLength(1);
      expect(Object.keys(operation.responses), name).toContain('200');
      for (const [status, response] of Object.entries(operation.responses))
        expect(response.description, `${name} ${status}`).toBeTruthy();
    }
  });

  it.each(['/job/create', '/v1/crawls', '/v1/jobs/{id}/run-again', '/seedList'])(
    'names why %s creates no job',
    (path) => {
      const codes = routesOf(document).find((route) => route.name === `POST ${path}`)!.problems;
      const reasons = [
        'CONFIG_ID_UNKNOWN',
        'CRAWL_BEING_DELETED',
        'TOO_MANY_JOBS',
        'JOBS_TOO_FAST',
        'JOB_ARGS_INVALID',
      ];
      const ofFetch = path === '/seedList' ? [] : ['FETCH_IMPOSSIBLE', 'SEEDS_MISSING', 'JOB_SEED_UNKNOWN'];
      for (const code of [...reasons, ...ofFetch, 'IDEMPOTENCY_KEY_INVALID']) expect(codes).toContain(code);
    },
  );

  it('documents the parameter force of /admin/stop', () => {
    for (const method of ['get', 'post'] as const)
      expect(document.paths['/admin/stop']?.[method]?.parameters).toContainEqual(
        expect.objectContaining({ name: 'force', in: 'query' }),
      );
  });

  it('describes every field', () => {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      for (const [field, property] of Object.entries(('properties' in schema && schema.properties) || {})) {
        const described = 'description' in property ? property.description : JSON.stringify(property).includes('$ref');
        expect(described, `${name}.${field}`).toBeTruthy();
      }
    }
  });

  it('accepts null wherever a schema is nullable, as OpenAPI 3.0.3 is read strictly', () => {
    const schemas = document.components!.schemas as Record<string, NullableSchema>;
    const refused: string[] = [];
    const check = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('nullable' in node && node.nullable === true && !acceptsNull(node as NullableSchema, schemas))
        refused.push(path);
      for (const [name, member] of Object.entries(node)) check(member, `${path}/${name}`);
    };
    check(document, '#');
    expect(refused).toEqual([]);
    const { protocolStatus } = schemas['PageDto']!.properties!;
    expect(acceptsNull(protocolStatus!, schemas)).toBe(true);
  });

  it('has every group of counters that a step counts, and for a crawl those of all its steps', async () => {
    const groupsOf = (name: string): string[] => {
      const { properties } = document.components!.schemas![name] as { properties: Record<string, ObjectSchema> };
      return Object.keys(properties['counters']!.properties);
    };
    const results = Object.keys(document.components?.schemas ?? {}).filter(
      (name) => name.endsWith('Result') && name !== 'DbQueryResult',
    );
    const counted = (await sourcesOf('cycle')).flatMap((text) =>
      [...text.matchAll(/\bcount\(\s*'(\w+)',/g)].map(([, group]) => group!),
    );
    expect(counted).toContain('injector_rejected');
    expect(results.flatMap(groupsOf)).toEqual(expect.arrayContaining(counted));
    const steps = ['Inject', 'Generate', 'Fetch', 'Parse', 'UpdateDb', 'InvertLinks', 'Dedup', 'Sitemap', 'Index'];
    const ofSteps = [...steps, 'Clean', 'WebGraph', 'LinkRank', 'ScoreUpdate'].map((step) => `${step}Result`);
    expect(groupsOf('CrawlResult')).toEqual(expect.arrayContaining(ofSteps.flatMap(groupsOf)));
  });

  it('has unique operation ids', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no paths that differ only in parameter names (OAS 3.0)', () => {
    const paths = Object.keys(document.paths).map((path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });

  it('lists every problem code', () => {
    const { ProblemCode } = document.components?.schemas ?? {};
    const codes = (ProblemCode as { enum: string[] }).enum;
    expect(codes).toEqual(problemCodes.map(({ code }) => code).sort());
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('has no dangling schema reference', () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name ?? '',
    );
    expect(names.filter((name) => !Object.hasOwn(document.components?.schemas ?? {}, name))).toEqual([]);
  });
});

describe('examples of openapi.json', () => {
  const example = (path: string, name?: string): unknown => {
    const { post } = document.paths[path] ?? {};
    const body = (post as unknown as { requestBody: JsonBody }).requestBody;
    const json = body.content['application/json'];
    return name ? json.examples?.[name]?.value : exampleOf(json.schema.$ref);
  };
  const exampleOf = (ref: string): unknown => {
    const schema = document.components?.schemas?.[ref.split('/').at(-1) ?? ''] as {
      properties: Record<string, Record<string, unknown>>;
    };
    return Object.fromEntries(
      Object.entries(schema.properties)
        .map(([name, property]) => [name, valueOf(property)])
        .filter(([, value]) => value !== undefined),
    );
  };
  const valueOf = (property: Record<string, unknown>): unknown => {
    const items = property.items as { $ref?: string } | undefined;
    return property.example ?? (items?.$ref ? [exampleOf(items.$ref)] : undefined);
  };

  it.each([
    ['/config/create', '/config/create'],
    ['/seed/create', '/seed/create'],
    ['/seedList', '/seedList'],
    ['/db', '/db'],
    ['/db/crawldb', '/db/crawldb'],
  ])('POST %s returns 200', async (path, address) => {
    const answer = await request(api.url)
      .post(address)
      .send(example(path) as object);
    expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  });

  it.each(['inject', 'generate', 'fetch', 'parse', 'updatedb'])('POST /job/create returns 200 for %s', async (name) => {
    const answer = await request(api.url)
      .post('/job/create')
      .send(example('/job/create', name) as object);
    expect([answer.status, answer.body.state]).toEqual([200, 'IDLE']);
  });

  it.each(['stats', 'topN', 'dump'])('POST /db/crawldb returns 200 for %s', async (name) => {
    const answer = await request(api.url)
      .post('/db/crawldb')
      .send(example('/db/crawldb', name) as object);
    expect(answer.status).toBe(200);
  });
});

describe('GET /docs', () => {
  it.each(['/docs', '/docs/'])(
    '%s serves Swagger UI without resources from other hosts or inline scripts',
    async (path) => {
      const answer = await request(api.url).get(path);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('swagger-ui');
      expect(answer.text).not.toMatch(/(?:src|href)="https?:/);
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
      expect(answer.text).not.toMatch(/<script>(?!\s*<)/);
    },
  );

  it.each(['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-init.js'])(
    'serves %s from this server',
    async (file) => {
      expect((await request(api.url).get(`/docs/${file}`)).status).toBe(200);
    },
  );
});
