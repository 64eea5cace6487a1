import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Runs in the browser, as source text: with this header a wrong key causes no login dialog of the browser (access.ts). */
const asScript = (request: { headers: Record<string, string> }) => {
  request.headers['X-Requested-With'] = 'XMLHttpRequest';
  return request;
};

/** The page that runs the function below. */
interface Page {
  location: { pathname: string };
  ui: { specSelectors: { specJson(): { toJS(): object } }; specActions: { updateJsonSpec(spec: object): void } };
}

/** Runs in the browser, as source text: behind a proxy that adds a prefix (`/crawler/docs`), requests get it, too. */
const addPrefix = () => {
  const { location, ui } = globalThis as unknown as Page;
  const prefix = location.pathname.replace(/\/docs\/?$/, '');
  if (prefix !== '')
    ui.specActions.updateJsonSpec({ ...ui.specSelectors.specJson().toJS(), servers: [{ url: prefix }] });
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
      onComplete: addPrefix,
    },
  });
}
