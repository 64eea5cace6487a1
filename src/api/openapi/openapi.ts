/**
 * Generates the OpenAPI document, which is served at /openapi.json and shown at /docs.
 * Descriptions are beside the code that they describe; this file adds what concerns every operation.
 */
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { argsByType } from '../job/args-by-type.js';
import { describeLimitProblems } from './limit-problems.js';
import { allowNull } from './nullable-references.js';
import { addNumberFormats } from './number-formats.js';
import { ProblemDto } from './problem.dto.js';
import { typeJobs } from './typed-jobs.js';
import { describeValueForm } from './value-form.js';

export const API_VERSION = '0.1.0';

const description = `Crawls the web in rounds over one table in PostgreSQL, with the HTTP API of Apache Nutch's server.

First name the crawler: \`PUT /config/default/http.agent.name\`; without a name FETCH and crawls are refused.

One call starts a crawl: \`POST /v1/crawls\`. Follow it with \`GET /v1/crawls/{id}\` or its \`/events\`, read \`GET /v1/pages\`, and ask
\`POST /v1/inspect/url\` why a URL was not fetched.

The steps one by one: \`POST /job/create\` with type INJECT, then GENERATE, FETCH, PARSE and UPDATEDB, each after the previous job has ended
(\`GET /job/{id}\`). Schema JobConfig has the arguments of each type, and JobInfo its result.

Errors are \`application/problem+json\`: branch on \`code\`. Besides those named at each operation, any call may return
400 REQUEST_MALFORMED, and 500 INTERNAL_ERROR; one with a body 400 BODY_NOT_JSON or BODY_REFUSED; one that uses a configuration 400 CONFIG_INVALID,
if its rule files or a plugin cannot be used. Paths work with and without a trailing slash. Bodies of GET and DELETE are ignored.

Unknown query parameters and body fields of a call under /v1 have no effect, and are named in the header \`Orbweaver-Notice\` of the response; a 4xx repeats it as \`notice\`.`;

/** In the order in which a reader needs them: an example uses only what earlier examples have created. */
const tags: [name: string, description: string][] = [
  ['config', 'Named configurations: crawl properties that override those of `default`.'],
  ['crawl', 'Crawls of several rounds, each started by one call.'],
  ['page', 'Pages of a crawl: lists with a cursor, streams, or one page with all its data.'],
  ['search', 'Full-text search in the documents of a crawl: the built-in index that INDEX writes.'],
  ['host', 'Hosts of a crawl: counts, robots.txt, delays.'],
  ['inspect', 'How a crawl would treat a URL, a page, a robots.txt or a batch, and why.'],
  ['event', 'Events of jobs and crawls, in real time.'],
  ['job', 'The steps of a crawl, run in the background.'],
  ['batch', 'Batches that GENERATE created: the segments of 1.x.'],
  ['seed', 'Seed lists: the URLs that a crawl starts from.'],
  ['rule-file', 'Rule files that configurations name: for filters, normalizers and other plugins.'],
  ['webhook', 'Events that are sent to a URL, signed; failed deliveries are retried.'],
  ['db', 'The page table: statistics, pages, links.'],
  ['worker', 'Worker processes, and their tasks.'],
  ['legacy', 'Readers and services of NutchServer 1.x, on tables instead of files.'],
  ['admin', 'The server itself.'],
  ['health', 'For probes and monitors.'],
];

/** The position of a path in the document: with the others of its tag. */
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
      { type: 'http', scheme: 'bearer', description: 'A key of API_KEYS. Not required on a server without keys.' },
      'bearer',
    )
    .addBasicAuth(
      { type: 'http', scheme: 'basic', description: 'The same key as the password, with any user name.' },
      'basic',
    )
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('basic')
    .addServer('/');
  for (const [name, text] of tags) builder.addTag(name, text);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [ProblemDto, ...Object.values(argsByType)],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`,
  });
  typeJobs(document);
  describeValueForm(document);
  allowNull(document);
  addNumberFormats(document);
  describeLimitProblems(document);
  document.paths = Object.fromEntries(Object.entries(document.paths).sort(([, a], [, b]) => orderOf(a) - orderOf(b)));
  return document;
}
