import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

const DEFAULTS = { hsts: false, crossOriginEmbedderPolicy: false } as const;

/** Answers are data: they must not run scripts, be framed, or have their type guessed. */
const forData = helmet({
  ...DEFAULTS,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

/** For the API documentation: scripts and styles of this server only. Swagger UI sets styles and images inline. */
const forDocs = helmet({
  ...DEFAULTS,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
});

/** Middleware that sets security headers on every answer, including errors. */
export function securityHeaders(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  const isDocs = request.path === '/docs' || request.path.startsWith('/docs/');
  (isDocs ? forDocs : forData)(request, response, next);
}
