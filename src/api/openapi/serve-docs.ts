import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Runs in the browser, from its own text: a wrong key is shown as an answer, without a dialog of the browser (access.ts). */
const asScript = (request: { headers: Record<string, string> }) => {
  request.headers['X-Requested-With'] = 'XMLHttpRequest';
  return request;
};

/** Serves Swagger UI at /docs from files of our own. */
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
