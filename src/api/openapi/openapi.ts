/**
 * Makes the description of the API, openapi.json: what is served at /openapi.json and shown at /docs.
 * All of it stands beside the code it describes; this file adds what concerns every operation.
 */
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { argsOf } from '../job/args-of.js';
import { ProblemDto } from './problem.dto.js';
import { typeJobs } from './typed-jobs.js';

export const API_VERSION = '0.1.0';

const description = `Crawls the web in rounds over one table in PostgreSQL, with the HTTP contract of Apache Nutch's server.

First say who crawls: \`PUT /config/default/http.agent.name\`; without a name FETCH and crawls are refused.

One call crawls: \`POST /v1/crawls\`. Follow it with \`GET /v1/crawls/{id}\` or its \`/events\`, read \`GET /v1/pages\`, and ask
\`POST /v1/inspect/url\` why a URL was not fetched.

The steps one by one: \`POST /job/create\` with type INJECT, then GENERATE, FETCH, PARSE and UPDATEDB, each when the job before it has ended
(\`GET /job/{id}\`). Schema JobConfig has the arguments of each type, and JobInfo its result.

Errors are \`application/problem+json\`: branch on \`code\`. Besides those named at each operation, any call may answer
400 REQUEST_MALFORMED, BODY_NOT_JSON or BODY_REFUSED, 413 BODY_TOO_LARGE, 415 MEDIA_TYPE_UNSUPPORTED, 429 TOO_MANY_REQUESTS or TOO_MANY_QUERIES, 500 INTERNAL_ERROR and
503 DATABASE_UNAVAILABLE. Addresses work with and without a slash at the end. Bodies of GET and DELETE are ignored.

Query parameters and fields of bodies that a call under /v1 does not know change nothing, and stand in the header \`Orbweaver-Notice\` of the answer.`;

/** In the order in which a reader needs them: what an example names, the examples before it have made. */
const tags: [name: string, description: string][] = [
  ['config', 'Named configurations: crawl properties laid over those of `default`.'],
  ['crawl', 'Crawls of many rounds, each by one call.'],
  ['page', 'Pages of a crawl: by cursor, streamed, or one with all that is known about it.'],
  ['search', 'The documents of a crawl, by words: the built-in index that INDEX writes.'],
  ['host', 'Hosts of a crawl: counts, robots, pace.'],
  ['inspect', 'What would happen to a URL, a page, a robots.txt, a batch, and why.'],
  ['event', 'What happens to jobs and crawls, as it happens.'],
  ['job', 'The steps of a crawl, run in the background.'],
  ['batch', 'Batches that GENERATE made: the segments of 1.x.'],
  ['seed', 'Seed lists: the URLs that a crawl starts from.'],
  ['rule-file', 'Files of rules that configurations name: filters, normalizers and whatever takes a file.'],
  ['webhook', 'Events that are sent to you, signed; again when they did not arrive.'],
  ['db', 'The page table: statistics, pages, links.'],
  ['worker', 'Worker processes, and what each does.'],
  ['legacy', 'Calls of NutchServer 1.x that are not offered yet, and what serves instead.'],
  ['admin', 'The server itself.'],
  ['health', 'For probes and monitors.'],
];

/** Where a path stands in the document: with the others of its tag. */
const orderOf = (item: OpenAPIObject['paths'][string]): number => {
  const [operation] = [item.get, item.post, item.put, item.patch, item.delete].filter(Boolean);
  return tags.findIndex(([name]) => name === operation?.tags?.[0]);
};

export function documentOfApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Orbweaver')
    .setDescription(description)
    .setVersion(API_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'A key of API_KEYS. Not needed on a server without keys.' },
      'bearer',
    )
    .addBasicAuth(
      { type: 'http', scheme: 'basic', description: 'The same key as the password; the user name is free.' },
      'basic',
    )
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('basic')
    .addServer('/');
  for (const [name, text] of tags) builder.addTag(name, text);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [ProblemDto, ...Object.values(argsOf)],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`,
  });
  typeJobs(document);
  document.paths = Object.fromEntries(
    Object.entries(document.paths).sort(([, one], [, other]) => orderOf(one) - orderOf(other)),
  );
  return document;
}
