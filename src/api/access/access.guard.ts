/** Decorators that say who may call a route, and the guard that checks it. */
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension, ApiForbiddenResponse, ApiUnauthorizedResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Problem, documentOf, methodNotAllowed, withOptions } from '../problem.js';
import { foreignOrigin, notAuthenticated, scopeMissing } from './access.problems.js';
import { CHANGES_STATE } from '../openapi/changes-state.js';
import { NEEDED_SCOPE } from '../openapi/route-facts.js';
import { principalOf } from './access.js';
import type { KeyRole, Scope } from '../../conf/credentials.js';
import { includesScope } from './api-keys.js';

const SCOPE_KEY = 'api:scope';
const ROLE_KEY = 'api:role';
const OPEN_KEY = 'api:open';
const CHANGES_KEY = 'api:changes';

const problemContent = (problem: Problem) => ({
  'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' }, example: documentOf(problem) },
});

/**
 * The scope a route requires. A route without it requires `admin`: closed by default. `user` also admits that role of
 * NutchServer 2.x, which may read configurations and jobs, stop and abort jobs, and nothing else; `metrics` admits the key
 * that reads metrics.
 */
export const Needs = (scope: Scope, also?: KeyRole) =>
  applyDecorators(
    SetMetadata(SCOPE_KEY, scope),
    SetMetadata(ROLE_KEY, also),
    ApiExtension(NEEDED_SCOPE, scope),
    ApiUnauthorizedResponse({
      description: 'NOT_AUTHENTICATED: keys are configured, and the request has none, or an unknown one.',
      content: problemContent(notAuthenticated()),
    }),
    ApiForbiddenResponse({
      description: `SCOPE_MISSING: needs scope \`${scope}\`${also ? `, or role \`${also}\`` : ''}. FOREIGN_ORIGIN, HOST_NOT_ALLOWED.`,
      content: problemContent(scopeMissing(scope, 'read')),
    }),
  );

export const Open = () => SetMetadata(OPEN_KEY, true);

/** A GET that changes state: NutchServer's API has some. */
export const ChangesState = () => applyDecorators(SetMetadata(CHANGES_KEY, true), ApiExtension(CHANGES_STATE, true));

/** Admits a request when its key has the scope of the route and no page of another site sent it. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const handler = context.getHandler();
    const needed = this.reflector.get<Scope | undefined>(SCOPE_KEY, handler) ?? 'admin';
    if (this.reflector.get<boolean | undefined>(OPEN_KEY, handler)) return true;
    const principal = principalOf(request);
    if (principal === undefined) throw notAuthenticated();
    const byRole = this.reflector.get<KeyRole | undefined>(ROLE_KEY, handler) === principal.scope;
    if (!byRole && !includesScope(principal.scope, needed)) throw scopeMissing(needed, principal.scope);
    const safe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const changes = this.reflector.get<boolean | undefined>(CHANGES_KEY, handler) === true;
    // Express answers HEAD with the handler of GET: a monitor that only looks must not stop anything.
    if (changes && request.method === 'HEAD')
      throw withOptions(methodNotAllowed('HEAD', 'GET, POST'), { headers: { Allow: 'GET, POST' } });
    if ((!safe || changes) && isForeign(request)) throw foreignOrigin();
    return true;
  }
}

/** Whether a browser sent this for a page that is not ours (Fetch metadata, or the Origin header of older browsers). */
function isForeign(request: Request): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== (host ?? '').toLowerCase();
}
