import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Runs in the browser, as source text: with this header a wrong key causes no login dialog of the browser (access.ts). */
const asScript = (request: { headers: Record<string, string> }) => {
  request.headers['X-Requested-With'] = 'XMLHttpRequest';
  return request;
};

/** Serves Swagger UI at /docs from local files. */
export function serveDocs(app: INestApplication, document: OpenAPIObject): void {
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Orbweaver API',
    swaggerOptions: {
      displayRequestDuration: true,
      docExpansion: 'list',
      filter: true,
      validatorUrl: null,
      requestInterceptor: asScript,
      showMutatedRequest: false,
    },
  });
}
