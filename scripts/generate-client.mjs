import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

/**
 * Writes the generated part of the typed client: openapi.json in, TypeScript out. Every schema becomes a type, every tag
 * a class of calls, every operation a method: parameters of the path in order, then the body, then the query, then
 * options. An operation with several media types of the answer becomes several methods, named by the type: `list` (JSON),
 * `listLines` (JSON lines), `listLive` (server-sent events), `crawlDbBytes` (bytes). Requests are sent by
 * clients/typescript/src/transport.ts, written by hand; nothing here depends on the name of a route.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'clients/typescript/src/generated');
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head'];
const HEAD = '/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */\n';

/** Media types by preference: the method for the first one of an operation has the name without suffix. */
const ANSWERS = [
  { media: /^application\/json$/, call: 'json', suffix: 'Json' },
  { media: /^text\/plain/, call: 'text', suffix: 'Text' },
  { media: /^application\/x-ndjson$/, call: 'lines', suffix: 'Lines' },
  { media: /^text\/event-stream$/, call: 'live', suffix: 'Live' },
  { media: /./, call: 'bytes', suffix: 'Bytes' },
];

/** @returns {Promise<Map<string, string>>} file name → text, formatted by Prettier */
export async function clientFiles(document) {
  const operations = uniqueNames(operationsOf(document));
  const groups = Map.groupBy(operations, ({ tag }) => tag);
  const files = new Map([['schemas.ts', schemasFile(document.components?.schemas ?? {})]]);
  for (const [tag, members] of groups) files.set(`${kebab(tag)}.calls.ts`, groupFile(tag, members));
  files.set('calls.ts', joiningFile([...groups.keys()]));
  const config = await resolveConfig(join(FOLDER, 'schemas.ts'));
  const formatted = [...files].map(async ([name, text]) => [
    name,
    await format(text, { ...config, parser: 'typescript' }),
  ]);
  return new Map(await Promise.all(formatted));
}

function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((method) => {
      const operation = item[method];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
        resolve(document, one),
      );
      const tag = camel(operation.tags?.[0] ?? 'server');
      const name = camel(operation.operationId.replace(/^[^_]*_/, ''));
      return [{ ...operation, path, method: method.toUpperCase(), parameters, tag, name, document }];
    }),
  );
}

function resolve(document, value) {
  if (!value.$ref) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], document);
}

/** Two controllers may share a tag: methods with the same name get the whole operation id instead. */
function uniqueNames(operations) {
  const taken = Map.groupBy(operations, ({ tag, name }) => `${tag}.${name}`);
  return operations.map((one) =>
    taken.get(`${one.tag}.${one.name}`).length > 1 ? { ...one, name: camel(one.operationId) } : one,
  );
}

function schemasFile(schemas) {
  const types = Object.entries(schemas).map(([name, schema]) => {
    const doc = comment([schema.description]);
    const isObject = schema.properties && !schema.allOf && !schema.nullable;
    return isObject
      ? `${doc}export interface ${typeName(name)} ${objectType(schema)}`
      : `${doc}export type ${typeName(name)} = ${typeOf(schema)};`;
  });
  return `${HEAD}/** What the API takes and answers. */\n\n${types.join('\n\n')}\n`;
}

function groupFile(tag, operations) {
  const methods = operations.flatMap(methodsOf);
  const text = methods.join('\n\n');
  const types = [...new Set([...text.matchAll(/\bs\.(\w+)/g)].map(([, name]) => name))].sort();
  // Descriptions contain the word, too: only a call counts.
  const uses = { segment: /\{segment\(/, 'type Bytes': /\bBytes\b/, 'type Live': /\bLive\b/ };
  const used = Object.keys(uses).filter((name) => uses[name].test(text));
  const imports = [
    `import { ${[...used, 'type CallOptions', 'type Transport'].sort().join(', ')} } from '../transport.js';`,
    types.length > 0 ? `import type { ${types.join(', ')} } from './schemas.js';` : '',
  ];
  return `${HEAD}${imports.join('\n')}

/** Calls of the group \`${tag}\`. */
export class ${className(tag)} {
  constructor(private readonly transport: Transport) {}

${text.replace(/\bs\.(\w+)/g, '$1')}
}
`;
}

function joiningFile(tags) {
  const sorted = tags.toSorted();
  return `${HEAD}${sorted.map((tag) => `import { ${className(tag)} } from './${kebab(tag)}.calls.js';`).join('\n')}
import type { Transport } from '../transport.js';

/** Every call of the API, by group. */
export class Calls {
${sorted.map((tag) => `readonly ${tag}: ${className(tag)};`).join('\n')}

  constructor(protected readonly transport: Transport) {
${sorted.map((tag) => `this.${tag} = new ${className(tag)}(transport);`).join('\n')}
  }
}
`;
}

/** One method for each kind of answer. */
function methodsOf(operation) {
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1] ?? {};
  const content = Object.entries(answer.content ?? {});
  if (content.length === 0) return [methodOf(operation, { call: 'nothing', type: 'void', name: operation.name })];
  const kinds = ANSWERS.map((kind) => ({ ...kind, found: content.find(([media]) => kindOf(media) === kind) })).filter(
    ({ found }) => found,
  );
  const rows = itemOf(operation.document, kinds.find(({ call }) => call === 'json')?.found[1].schema);
  return kinds.map(({ call, suffix, found: [media, { schema }] }, index) => {
    const name = index === 0 ? operation.name : operation.name + suffix;
    return methodOf(operation, { call, media, name, type: answerType(call, schema, rows) });
  });
}

function kindOf(media) {
  return ANSWERS.find((kind) => kind.media.test(media));
}

function answerType(call, schema, rows) {
  if (call === 'json') return typeOf(schema ?? {}, 's.');
  if (call === 'text') return 'string';
  if (call === 'bytes') return 'Bytes';
  if (call === 'live') return 'Live';
  const described = schema && schema.type !== 'string' ? schema : rows;
  return described ? typeOf(described, 's.') : 'unknown';
}

/** The rows of a JSON answer: of an array its items, of an object those of its only array. */
function itemOf(document, given) {
  const schema = given && resolve(document, given);
  if (schema?.type === 'array') return schema.items;
  const lists = Object.values(schema?.properties ?? {}).filter(({ type }) => type === 'array');
  return lists.length === 1 ? lists[0].items : undefined;
}

function methodOf(operation, { call, media, name, type }) {
  const inPath = operation.parameters.filter((one) => one.in === 'path');
  const inQuery = operation.parameters.filter((one) => one.in === 'query');
  const body = bodyOf(operation);
  const query = inQuery.length > 0 && `{ ${inQuery.map(memberOf).join(' ')} }`;
  const queryIsFree = !inQuery.some((one) => one.required);
  const parameters = [
    ...inPath.map((one) => `${camel(one.name)}: string`),
    ...(body ? [`body${body.required ? '' : '?'}: ${body.type}`] : []),
    ...(query ? [`query: ${query}${queryIsFree ? ' = {}' : ''}`] : []),
    'options: CallOptions = {}',
  ];
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, key) => `\${segment(${camel(key)})}`);
  const request = [
    `method: '${operation.method}'`,
    `path: ${path === operation.path ? `'${path}'` : `\`${path}\``}`,
    media ? `accept: '${media}'` : '',
    body ? `body, bodyType: '${body.media}'` : '',
    query ? 'query' : '',
    'options',
  ];
  const result = { lines: `AsyncIterableIterator<${type}>`, live: 'Live' }[call] ?? `Promise<${type}>`;
  const typed = ['json', 'lines'].includes(call) ? `<${type}>` : '';
  const route = `\`${operation.method} ${operation.path}\``;
  return `${comment([operation.summary, operation.description, route])}${name}(${parameters.join(', ')}): ${result} {
    return this.transport.${call}${typed}({ ${request.filter(Boolean).join(', ')} });
  }`;
}

/** The body in the preferred media type. */
function bodyOf({ requestBody }) {
  const content = Object.entries(requestBody?.content ?? {});
  const [media, { schema = {} } = {}] = content.find(([name]) => name === 'application/json') ?? content[0] ?? [];
  return media ? { media, required: requestBody.required ?? false, type: typeOf(schema, 's.') } : undefined;
}

function memberOf({ name, description, required, schema = {} }) {
  return `${comment([description])}${propertyName(name)}${required ? '' : '?'}: ${typeOf(schema, 's.')};`;
}

/** A schema as a type; `prefix` marks names of schemas for the caller. */
function typeOf(schema, prefix = '') {
  const bare = bareTypeOf(schema, prefix);
  if (bare === '') return 'null';
  return schema.nullable && bare !== 'unknown' ? `${bare} | null` : bare;
}

function bareTypeOf(schema, prefix) {
  if (schema.$ref) return prefix + typeName(schema.$ref.split('/').at(-1));
  // The values of a nullable enum include null (OAS 3.0.3), which `typeOf` adds; an enum of null alone has no other type.
  if (schema.enum)
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  for (const [key, sign] of [
    ['allOf', ' & '],
    ['oneOf', ' | '],
    ['anyOf', ' | '],
  ]) {
    if (schema[key]?.length > 0) return `(${schema[key].map((one) => typeOf(one, prefix)).join(sign)})`;
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => bareTypeOf({ ...schema, type }, prefix)).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, prefix)})[]`;
  if (schema.properties) return objectType(schema, prefix);
  if (schema.type === 'object' || schema.additionalProperties) return recordType(schema, prefix);
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[schema.type] ??
    'unknown'
  );
}

function recordType({ additionalProperties: values }, prefix) {
  return `Record<string, ${typeof values === 'object' ? typeOf(values, prefix) : 'unknown'}>`;
}

function objectType({ properties, required = [] }, prefix = '') {
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment([schema.description])}${propertyName(name)}${mark}: ${typeOf(schema, prefix)};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

/** A doc comment of the given texts; empty without texts. */
function comment(texts) {
  const lines = texts.filter(Boolean).flatMap((text) => text.replaceAll('*/', '*\\/').split('\n'));
  if (lines.length === 0) return '';
  return lines.length === 1
    ? `\n/** ${lines[0]} */\n`
    : `\n/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

const words = (text) => text.split(/[^A-Za-z0-9]+/).filter(Boolean);
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const camel = (text) =>
  words(text)
    .map((word, index) => (index === 0 ? word[0].toLowerCase() + word.slice(1) : capital(word)))
    .join('');
const kebab = (text) =>
  words(text)
    .join('-')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
const typeName = (text) => words(text).map(capital).join('');
const className = (tag) => `${capital(camel(tag))}Calls`;
const propertyName = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await clientFiles(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')));
  for (const old of readdirSync(FOLDER).filter((name) => !files.has(name))) rmSync(join(FOLDER, old));
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
  console.log(`client: ${files.size} files written`);
}
