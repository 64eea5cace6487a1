import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Controller, Get, type INestApplication, Module, Post } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessGuard, ChangesState, Needs, Open } from '../../src/api/access/access.guard.js';
import { accessControl } from '../../src/api/access/access.js';
import { ApiDescription } from '../../src/api/openapi/api-description.js';
import { ProblemFilter } from '../../src/api/problem.filter.js';
import { rawRequest } from './api-under-test.js';

/** Routes as a later version may declare them, behind the guard of the API: a route without a scope is for admins. */

class Tomorrow {}

/** Declares one route with its decorators. */
function route(verb: typeof Get, path: string, ...over: MethodDecorator[]): void {
  const name = path.replaceAll('/', '');
  const descriptor = { value: () => 'in', writable: true, configurable: true, enumerable: false };
  Object.defineProperty(Tomorrow.prototype, name, descriptor);
  for (const decorate of [verb(path), ...over]) decorate(Tomorrow.prototype, name, descriptor);
}

route(Get, '/bare');
route(Post, '/barepost');
route(Get, '/read', Needs('read'));
route(Get, '/user', Needs('run', 'user'));
route(Get, '/changes', Needs('read'), ChangesState());
route(Get, '/open', Open());
Controller()(Tomorrow);
class TomorrowModule {}
Module({ controllers: [Tomorrow] })(TomorrowModule);

const roles = ['read', 'run', 'admin', 'user', 'metrics'] as const;
const secretOf = (role: string) => `secret-of-the-${role}-key`;
const sha256 = (text: string) => createHash('sha256').update(text).digest();

let app: INestApplication;
let port: number;
beforeAll(async () => {
  app = await NestFactory.create(TomorrowModule, { logger: false });
  const keys = roles.map((scope) => ({ scope, sha256: sha256(secretOf(scope)) }));
  app.use(
    accessControl({ host: '127.0.0.1', keys, allowedHosts: [], dashboardPaths: new Set(), rate: 1_000, burst: 1_000 }),
  );
  app.useGlobalGuards(new AccessGuard(new Reflector()));
  app.useGlobalFilters(new ProblemFilter(new ApiDescription()));
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as AddressInfo).port;
});
afterAll(() => app?.close());

const those = async (line: string, headers: Record<string, string> = {}) => {
  const passed = [];
  for (const role of roles) {
    const { status } = await rawRequest(port, line, { Authorization: `Bearer ${secretOf(role)}`, ...headers });
    if (status < 300) passed.push(role);
    else expect(status).toBe(403);
  }
  return passed;
};

it.each([
  ['a route without a scope is for admins only', 'GET /bare', ['admin']],
  ['a POST route without a scope is for admins only', 'POST /barepost', ['admin']],
  ['a scope includes the lower ones', 'GET /read', ['read', 'run', 'admin']],
  ['a role that a route names is admitted', 'GET /user', ['run', 'admin', 'user']],
  ['an open route admits every key', 'GET /open', [...roles]],
])('%s: %s', async (_, line, passing) => {
  expect(await those(line, { 'Content-Length': '0' })).toEqual(passing);
});

it('refuses a cross-site GET only where the route changes state', async () => {
  const foreign = { 'Sec-Fetch-Site': 'cross-site' };
  expect(await those('GET /changes', foreign)).toEqual([]);
  expect(await those('GET /changes')).toEqual(['read', 'run', 'admin']);
  expect(await those('GET /read', foreign)).toEqual(['read', 'run', 'admin']);
});
