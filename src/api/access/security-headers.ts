import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

const DEFAULTS = { hsts: false, crossOriginEmbedderPolicy: false } as const;

/** Answers are data: nothing in them may run, be framed or be guessed at. */
const forData = helmet({
  ...DEFAULTS,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

/** Pages are our own: scripts and styles from here only. Swagger UI sets styles and images inline. */
const forPages = helmet({
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

/** The middleware that sets security headers on every answer, errors included. */
export function securityHeaders(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  const isPage = request.path === '/docs' || request.path.startsWith('/docs/');
  (isPage ? forPages : forData)(request, response, next);
}
