import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientFiles } from '../../scripts/generate-client.mjs';

/** The committed client checked against openapi.json, its own compiler settings, and the example of its README. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}clients/typescript`;
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

const example = (): string => /```ts\n([^]*?)```/.exec(read('clients/typescript/README.md'))?.[1] ?? '';

/** Calls that the API refuses. */
const WRONG = `
      import { Orbweaver } from 'orbweaver-client';
      const orbweaver = new Orbweaver('http://127.0.0.1:8081');
      await orbweaver.job.create({ type: 'INJECTT', args: {} });
      await orbweaver.job.create({ type: 'INJECT' });
      const { state }: { state: number } = await orbweaver.job.read('k1');
      console.log(state);`;

/** Compiler errors of the client together with two files, compiled once: those of WRONG, and all others. */
let complaints: { wrong: string[]; others: string[] };
beforeAll(() => {
  const wrong = `${folder}/wrong.ts`;
  const extra: Record<string, string> = { [`${folder}/example.ts`]: example(), [wrong]: WRONG };
  const config = ts.parseJsonConfigFileContent(JSON.parse(read('clients/typescript/tsconfig.json')), ts.sys, folder);
  const options: ts.CompilerOptions = {
    ...config.options,
    noEmit: true,
    noUnusedLocals: true,
    rootDir: root,
    paths: { 'orbweaver-client': [`${folder}/src/orbweaver.ts`] },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (name) => name in extra || fileExists(name);
  host.readFile = (name) => extra[name] ?? readFile(name);
  host.getSourceFile = (name, language, ...rest) =>
    name in extra ? ts.createSourceFile(name, extra[name] ?? '', language) : getSourceFile(name, language, ...rest);
  const program = ts.createProgram([...config.fileNames, ...Object.keys(extra)], options, host);
  const found = Map.groupBy(ts.getPreEmitDiagnostics(program), ({ file }) => file?.fileName === wrong);
  const textsOf = (isWrong: boolean) =>
    (found.get(isWrong) ?? []).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  complaints = { wrong: textsOf(true), others: textsOf(false) };
});

describe('the committed TypeScript client', () => {
  it('equals what is generated from openapi.json (npm run client writes it)', async () => {
    const wanted = await clientFiles(JSON.parse(read('openapi.json')));
    const there = readdirSync(`${folder}/src/generated`);
    expect(there.sort()).toEqual([...wanted.keys()].sort());
    for (const [name, text] of wanted) expect(read(`clients/typescript/src/generated/${name}`), name).toBe(text);
  });

  it('has a method for every operation', async () => {
    const document = JSON.parse(read('openapi.json')) as { paths: Record<string, Record<string, unknown>> };
    const text = readdirSync(`${folder}/src/generated`)
      .map((name) => read(`clients/typescript/src/generated/${name}`))
      .join('\n');
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const name = `${method.toUpperCase()} ${path}`;
        expect(text.includes(`\`${name}\``), `${name} has a method (npm run client writes it)`).toBe(true);
      }
    }
  });

  it('compiles, and so does the example of its README', () => {
    expect(example()).toContain("from 'orbweaver-client'");
    expect(complaints.others).toEqual([]);
  });

  it('makes calls that the API refuses a compiler error', () => {
    expect(complaints.wrong).toEqual([
      expect.stringContaining('INJECTT'),
      expect.stringContaining('args'),
      expect.stringContaining('state'),
    ]);
  });

  it('imports no module of the server', () => {
    const files = readdirSync(`${folder}/src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    for (const name of files) {
      const imports = [...read(`clients/typescript/src/${name}`).matchAll(/from '([^']+)'/g)].map(
        ([, from]) => from ?? '',
      );
      const outside = imports.filter(
        (from) => !/^(\.\/|\.\.\/(transport|generated\/|problem)|axios$|node:)/.test(from),
      );
      expect(outside, name).toEqual([]);
    }
  });
});

describe('the server program', () => {
  it('imports the client only in src/commands', () => {
    const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const users = files.filter((name) => read(`src/${name}`).includes('clients/typescript'));
    expect(users.filter((name) => !name.startsWith('commands'))).toEqual([]);
    expect(users.length).toBeGreaterThan(3);
  });
});

describe('the client generator', () => {
  const schema = (type: string) => ({ schema: { type } });
  const answer = (content: object) => ({ 200: { description: 'ok', content } });
  const operation = (more: object) => ({
    operationId: 'things_list',
    tags: ['things'],
    responses: answer({}),
    ...more,
  });
  const groupOf = async (paths: object, schemas: object = {}): Promise<string> =>
    (await clientFiles({ paths, components: { schemas } })).get('things.calls.ts') ?? '';

  it('orders arguments by path, body, query', async () => {
    const text = await groupOf({
      '/things/{id}/of/{some-one}': {
        post: operation({
          parameters: [
            { name: 'id', in: 'path', required: true, ...schema('string') },
            { name: 'some-one', in: 'path', required: true, ...schema('string') },
            { name: 'max.count', in: 'query', ...schema('integer') },
          ],
          requestBody: { required: true, content: { 'application/json': schema('boolean') } },
        }),
      },
    });
    expect(text).toMatch(
      /list\(\s*id: string,\s*someOne: string,\s*body: boolean,\s*query: { 'max\.count'\?: number } = {},\s*options: CallOptions = {},?\s*\): Promise<void>/,
    );
    expect(text).toContain('`/things/${segment(id)}/of/${segment(someOne)}`');
  });

  it('makes the query argument required when one of its parameters is required', async () => {
    const parameters = [{ name: 'q', in: 'query', required: true, ...schema('string') }];
    expect(await groupOf({ '/things': { get: operation({ parameters }) } })).toContain(
      'list(query: { q: string }, options',
    );
  });

  it('generates a method per media type of the response, with rows typed by the JSON list', async () => {
    const page = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] };
    const list = {
      type: 'object',
      properties: { pages: { type: 'array', items: { $ref: '#/components/schemas/Page' } } },
    };
    const content = {
      'application/json': { schema: { $ref: '#/components/schemas/Pages' } },
      'application/x-ndjson': schema('string'),
      'text/event-stream': schema('string'),
      'application/octet-stream': schema('string'),
    };
    const text = await groupOf(
      { '/things': { get: operation({ responses: answer(content) }) } },
      { Page: page, Pages: list },
    );
    expect(text).toContain('list(options: CallOptions = {}): Promise<Pages>');
    expect(text).toContain('listLines(options: CallOptions = {}): AsyncIterableIterator<Page>');
    expect(text).toContain('listLive(options: CallOptions = {}): Live');
    expect(text).toContain('listBytes(options: CallOptions = {}): Promise<Bytes>');
  });

  it('uses the full operation id for two operations with the same name in a group', async () => {
    const text = await groupOf({
      '/a': { get: operation({ operationId: 'first_list' }) },
      '/b': { get: operation({ operationId: 'second_list' }) },
    });
    expect(text).toContain('firstList(');
    expect(text).toContain('secondList(');
  });

  it.each([
    [{ type: 'string', enum: ['a', 'b'] }, `'a' | 'b'`],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: ['integer', 'null'] }, 'number | null'],
    [{ allOf: [{ $ref: '#/components/schemas/B' }], nullable: true }, 'B | null'],
    [{ oneOf: [{ $ref: '#/components/schemas/B' }, { type: 'object', nullable: true, enum: [null] }] }, 'B | null'],
    [{ type: 'string', nullable: true, enum: ['a', null] }, `'a' | null`],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{}, 'unknown'],
  ])('generates for the schema %j the type %s', async (given, wanted) => {
    const files = await clientFiles({ paths: {}, components: { schemas: { A: given, B: { type: 'boolean' } } } });
    expect(files.get('schemas.ts')).toContain(`export type A = ${wanted};`);
  });

  it('escapes the end of a comment in a description', async () => {
    const files = await clientFiles({
      paths: {},
      components: { schemas: { A: { type: 'string', description: 'a */ b' } } },
    });
    expect(files.get('schemas.ts')).toContain('/** a *\\/ b */');
  });
});
