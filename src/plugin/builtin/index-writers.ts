/** Built-in index writers: the built-in index, files of the server, and engines. */
import type { IndexWriter } from '../../core/indexing/index-writer.js';
import { documentJson } from '../../core/indexing/document-json.js';
import type { PluginFor } from '../extension-points.js';
import { csvWriter } from '../index-writer/csv.js';
import { elasticWriter } from '../index-writer/elastic.js';
import { openSearchWriter } from '../index-writer/opensearch.js';
import { solrWriter } from '../index-writer/solr.js';
import { webhookWriter } from '../index-writer/webhook.js';
import { LineFiles } from './line-files.js';

/** A writer of lines: one for each document, one for each deletion. */
function lineWriter(
  files: LineFiles,
  lines: { added: (document: Parameters<typeof documentJson>[0]) => string; deleted: (id: string) => string },
): IndexWriter {
  return {
    hasOwnLimits: true,
    async write(documents) {
      await files.append(documents.map((document) => ({ id: document.id, line: lines.added(document) })));
      return [];
    },
    delete: (ids) => files.append(ids.map((id) => ({ id, line: lines.deleted(id) }))),
    commit: async () => void (await files.opened()),
    close: () => files.close(),
    position: () => files.position(),
  };
}

const postgresWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-postgres',
  className: 'orbweaver.index.PostgresIndexWriter',
  description: 'Writes to the built-in index, which `GET /v1/search` reads.',
  writesWithoutParameters: true,
  writesConcurrently: true,
  makeIndexWriter: (_conf, _parameters, { openBuiltIn }) => openBuiltIn(),
};

const dummyWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-dummy',
  className: 'org.apache.nutch.indexwriter.dummy.DummyIndexWriter',
  description: 'Writes to a file which documents would be added and deleted.',
  writesWithoutParameters: true,
  makeIndexWriter: (_conf, parameters, context) =>
    lineWriter(new LineFiles(context, 'txt', parameters), {
      added: ({ id }) => `add\t${id}`,
      deleted: (id) => `delete\t${id}`,
    }),
};

const jsonlWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-jsonl',
  className: 'orbweaver.index.JsonlIndexWriter',
  description: 'Writes documents to files as lines of JSON.',
  writesWithoutParameters: true,
  makeIndexWriter: (_conf, parameters, context) =>
    lineWriter(new LineFiles(context, 'jsonl', parameters), {
      added: (document) => JSON.stringify(documentJson(document)),
      deleted: (id) => JSON.stringify({ id, deleted: true }),
    }),
};

export const indexWriters: readonly PluginFor<'makeIndexWriter'>[] = [
  postgresWriter,
  dummyWriter,
  jsonlWriter,
  solrWriter,
  elasticWriter,
  openSearchWriter,
  csvWriter,
  webhookWriter,
];
