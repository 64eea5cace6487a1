import { type Conf, parseConf } from '../../core/conf/properties.js';
import { mappedFields, type DocumentField } from '../../core/indexing/document-fields.js';
import { NO_MAPPING } from '../../core/indexing/field-mapping.js';
import { bulkMapping, jsonSchema, solrSchema } from '../../core/indexing/index-schema.js';
import { documentFields } from '../../plugin/document-fields.js';
import { RulesRefused } from '../../plugin/extension-points.js';
import { chosenWriters } from '../../plugin/index-writers.js';
import { defaultServer, namedServer, reach } from '../connect-server.js';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { keyValues, readWords, refuseTwoConfs } from '../parse-args.js';
import { log, type Terminal } from '../terminal.js';

const options = {
  conf: { type: 'string', multiple: true },
  'conf-id': { type: 'string' },
  server: { type: 'string' },
} as const;

interface Kind {
  readonly plugin: string;
  /** The schema; null: the engine takes documents without one. */
  readonly schema: ((fields: readonly DocumentField[]) => string) | null;
}

const json =
  (schema: (fields: readonly DocumentField[]) => object) =>
  (fields: readonly DocumentField[]): string =>
    `${JSON.stringify(schema(fields), null, 2)}\n`;

const KINDS: Readonly<Record<string, Kind>> = {
  solr: { plugin: 'indexer-solr', schema: json(solrSchema) },
  elasticsearch: { plugin: 'indexer-elastic', schema: json(bulkMapping) },
  opensearch: { plugin: 'indexer-opensearch-1x', schema: json(bulkMapping) },
  csv: { plugin: 'indexer-csv', schema: (fields) => `${fields.map(({ name }) => name).join()}\r\n` },
  jsonl: { plugin: 'indexer-jsonl', schema: json(jsonSchema) },
  webhook: { plugin: 'indexer-webhook', schema: json(jsonSchema) },
  postgres: { plugin: 'indexer-postgres', schema: null },
  dummy: { plugin: 'indexer-dummy', schema: null },
};

/** `orbweaver index-schema`: the schema that an engine needs for the fields of documents before INDEX sends the first. */
export async function indexSchemaCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('index-schema', words, options);
  const [name = '', ...more] = positionals;
  if (more.length > 0) throw usageError('index-schema', `"${more[0]}" is one word too many`);
  const kind = Object.entries(KINDS).find(([short, { plugin }]) => [short, plugin].includes(name))?.[1];
  if (!kind) throw usageError('index-schema', `takes a writer: ${Object.keys(KINDS).join(', ')}; given: "${name}"`);
  refuseTwoConfs('index-schema', values);
  const conf = await confOf(values, terminal);
  if (kind.schema === null) {
    log(terminal, `${kind.plugin} needs no schema`);
    return COMMAND_EXIT.done;
  }
  try {
    const writer = chosenWriters(conf).find(({ plugin }) => plugin === kind.plugin);
    terminal.stdout.write(kind.schema(mappedFields(documentFields(conf), writer?.mapping ?? NO_MAPPING)));
    return COMMAND_EXIT.done;
  } catch (error) {
    if (error instanceof RulesRefused) throw usageError('index-schema', error.message);
    throw error;
  }
}

/** Properties that determine documents; from a configuration of a server only these are used, as its secrets are masked. */
const SHAPES = /^(?:plugin\.|index\.|indexingfilter\.|indexer\.(?!credentials)|moreIndexing|subcollection|headings)/;

async function confOf(
  { conf, 'conf-id': confId, server }: { conf?: string[]; 'conf-id'?: string; server?: string },
  terminal: Terminal,
): Promise<Conf> {
  const properties = keyValues('index-schema', '--conf', conf);
  const { conf: read, problems } = parseConf(
    confId === undefined ? properties : await served(confId, server, terminal),
  );
  const [problem] = problems;
  if (problem)
    throw usageError('index-schema', `${problem.property} takes ${problem.allowed}; given: "${problem.given}"`);
  return read;
}

async function served(id: string, server: string | undefined, terminal: Terminal): Promise<Record<string, string>> {
  const named = namedServer('index-schema', { server }, terminal) ?? defaultServer(terminal);
  const { client } = await reach(named, terminal);
  const entries = Object.entries(await client.config.read(id));
  return Object.fromEntries(entries.filter(([name]) => SHAPES.test(name)));
}
