import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const json = { 'Content-Type': 'application/json' };

describe('calls of NutchServer 1.x that are not offered', () => {
  it.each([
    ['POST /reader/sequence/read?nrows=10', 'GET /v1/pages'],
    ['POST /reader/sequence/read?count=true', 'GET /v1/pages'],
    ['POST /reader/link/read?start=0&end=5', 'GET /v1/pages/{url}'],
    ['POST /reader/node/read', 'POST /db/crawldb'],
    ['GET /services/commoncrawldump', 'GET /v1/pages'],
    ['GET /services/commoncrawldump/k1', 'GET /v1/pages'],
    ['POST /services/commoncrawldump', 'GET /v1/pages'],
    ['POST /services/commoncrawldump/k1/', 'GET /v1/pages'],
  ])('%s is 501 and names %s', async (line, instead) => {
    for (const body of ['', '{"path":"/etc/passwd"}', '{"path":']) {
      const answer = await rawRequest(api.port, line, json, body);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([501, 'application/problem+json']);
      const problem = JSON.parse(answer.body) as { code: string; detail: string };
      expect(problem.code).toBe('NOT_OFFERED_YET');
      expect(problem.detail).toContain(instead);
    }
  });

  it.each([
    ['GET /reader/sequence/read', 405],
    ['PUT /reader/link', 405],
    ['GET /reader/none', 404],
    ['POST /services/none', 404],
  ])('%s is %i', async (line, status) => {
    expect((await rawRequest(api.port, line)).status).toBe(status);
  });
});

describe('the fields of the webgraph readers', () => {
  it.each([
    ['/reader/link', ['key_url', 'timestamp', 'score', 'anchor', 'linktype', 'url']],
    ['/reader/node', ['key_url', 'num_inlinks', 'num_outlinks', 'inlink_score', 'outlink_score', 'metadata']],
  ])('GET %s names them', async (path, fields) => {
    const answer = await rawRequest(api.port, `GET ${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(fields);
  });
});
