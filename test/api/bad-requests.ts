/** Requests to every route of a server, and the faults found in the answers: for specs of bad input. */
import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, expect } from 'vitest';
import { type ApiUnderTest, type RawAnswer, apiUnderTest, raw } from './api-under-test.js';
import { type Route, addressOf, routesOf } from './route-table.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** The API, once a spec called `useRoutes`. */
export let api: ApiUnderTest;
export let routes: Route[];
/** What `tables` returned before the first bad request. */
export let before: Record<string, string>;
/** How many bad requests were sent, and the faults found. */
export let sent = 0;
const faults: string[] = [];

const json = { 'Content-Type': 'application/json' };
export const withBody = (): Route[] => routes.filter(({ body }) => body !== undefined);
/** Existing names for reads, so that only the intended part of a request is wrong. Changes address names that do not exist. */
export const existing: Record<string, string> = { id: 'c1', name: 's1', property: 'http.agent.name' };
export const pathOf = (route: Route): string =>
  addressOf(route, route.path.startsWith('/config') && route.method !== 'DELETE' ? existing : {});

export function useRoutes(): void {
  beforeAll(async () => {
    api = await apiUnderTest();
    routes = routesOf((await request(api.url).get('/openapi.json')).body as OpenAPIObject);
    await request(api.url).post('/config/create').send({ configId: 'c1', params: {} });
    await request(api.url)
      .post('/seed/create')
      .send({ name: 's1', seedUrls: [{ url: 'http://site.test/' }] });
    await request(api.url)
      .post('/job/create')
      .send({ type: 'INJECT', crawlId: 'k', args: { seedName: 's1' } });
    await addPages(api.database, await newCrawl(api.database, 'seeded'), [{ url: 'http://site.test/' }]);
    before = await tables();
  });
  afterAll(() => api?.close());
}

/** Every table of ours with the hash of its rows. */
export async function tables(): Promise<Record<string, string>> {
  const names = await api.database.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      order by 1`,
  );
  const hashes: Record<string, string> = {};
  for (const { name } of names) {
    const [row] = await api.database.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as hash from ${name} t`,
    );
    hashes[name] = row!.hash;
  }
  return hashes;
}

interface Problem {
  code: string;
  detail: string;
  errors?: { field: string; message: string }[];
}

/** Codes whose answers name the fields that are wrong; `''` is the body. */
const ofFields = new Set(['FIELDS_INVALID', 'JOB_ARGS_INVALID', 'QUERY_INVALID', 'SEED_LIST_INVALID', 'SEEDS_MISSING']);

/** Codes that the description of the API names for any call, or any with a body, and not at each operation. */
const ofAnyCall = new Set(['REQUEST_MALFORMED', 'BODY_NOT_JSON', 'BODY_REFUSED']);

/** The route of a request line; undefined if there is none. */
function routeOf(line: string): Route | undefined {
  const [method = '', address = ''] = line.split(' ');
  const [path = ''] = address.split('?');
  const ofMethod = routes.filter((route) => route.method === method);
  const matches = (route: Route): boolean => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path);
  return ofMethod.find((route) => route.path === path) ?? ofMethod.find(matches);
}

/** Whether `errors` contains a field, or the given one, or a member of it. */
const namesField = ({ errors = [] }: Problem, field?: string): boolean =>
  field === undefined ? errors.length > 0 : errors.some((error) => error.field.split(/[.[]/)[0] === field);

/**
 * Records a fault unless the answer is a 4xx problem document with a readable detail, and a code that the document of the API
 * names.
 * @param what the request, beginning with its method and path if it has one
 */
export function judge(
  what: string,
  answer: RawAnswer,
  wanted: { status?: readonly number[]; code?: string; says?: string[]; field?: string },
): unknown {
  sent += 1;
  const complain = (why: string) =>
    faults.push(`${what.slice(0, 160)}: ${why}; ${answer.status} ${answer.body.slice(0, 300)}`);
  const { status = [400, 404, 413, 415, 422, 431], code, says = [], field } = wanted;
  if (!status.includes(answer.status)) return complain(`not ${status.join(' or ')}`);
  if (answer.status < 400) return undefined;
  if (answer.headers.get('content-type') !== 'application/problem+json') return complain('no problem document');
  const problem = JSON.parse(answer.body) as Problem;
  if (problem.detail.length < 15) return complain('few words');
  if (code !== undefined && problem.code !== code) return complain(`not ${code}`);
  if (!(routeOf(what)?.problems.has(problem.code) ?? true) && !ofAnyCall.has(problem.code))
    return complain(`the document does not name ${problem.code} for this route`);
  if (ofFields.has(problem.code) && !namesField(problem, field)) return complain(`no ${field ?? 'field'} in errors`);
  const missing = says.filter((word) => !problem.detail.includes(word) && !problem.detail.includes(inJson(word)));
  return missing.length > 0 ? complain(`does not say ${missing.join(' and ')}`) : undefined;
}

/** Records a fault when the server itself failed. */
export function judgeFailure(what: string, answer: RawAnswer): void {
  sent += 1;
  if (answer.status < 200 || answer.status >= 500) faults.push(`${what}: ${answer.status} ${answer.body}`);
}

const inJson = (word: string) => JSON.stringify(word).slice(1, -1);
const bytesOf = (line: string, body: string | Buffer, headers: Record<string, string> = {}) => {
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = { Host: '127.0.0.1', Connection: 'close', ...json, ...length, ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), Buffer.from(body)]);
};
export const send = (
  line: string,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): Promise<RawAnswer> => raw(api.port, bytesOf(line, body, headers));
/** Expects that no fault was recorded since the last call. */
export const noFaults = (): void => expect(faults.splice(0)).toEqual([]);
