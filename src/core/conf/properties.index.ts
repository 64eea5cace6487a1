import { flag, float, int, list, rules, takingSecrets, text } from './property.js';
import { ruleFile } from './rule-file-name.js';

/** A separator may be a space, or nothing. */
const ANY_TEXT = /^[^\r\n]{0,100}$/;

/** Properties of INDEX and CLEAN: the fields of documents, and their writers (Nutch `index.*`, `indexer.*`). */
export const indexProperties = {
  'anchorIndexingFilter.deduplicate': flag(false, 'Index each distinct anchor text of a page once, whoever links.'),
  'exchanges.exchanges.file': ruleFile('exchanges.xml', 'File of exchanges.exchanges.rules.'),
  'exchanges.exchanges.rules': rules(
    '',
    'Which writers get which documents, as XML of Nutch (exchanges.xml). Empty: all get all.',
  ),
  'index.blacklist': rules(
    '',
    'URLs that INDEX deletes and no step accepts (plugin urlfilter-blacklist): lines with a URL, a prefix of URLs followed by *, or an expression between slashes. A host is a prefix: http://example.org/*.',
  ),
  'index.content.md': list([], 'Headers of the answer that become fields (plugin index-metadata).'),
  'index.db.md': list([], 'Metadata of seeds and links that becomes fields (plugin index-metadata).'),
  'index.jexl.filter': text(
    '',
    "Documents for which this expression is false are not indexed (plugin index-jexl-filter): doc.host or host for the first value of a field, and status, score, fetchTime, signature, url, text, title of the page, as in status == 'db_fetched' and doc.lang == 'de'. Empty: all are.",
  ),
  'index.links.hosts.only': flag(false, 'Index the hosts of links, and not their URLs (plugin index-links).'),
  'index.links.inlinks.host.ignore': flag(false, 'Leave out inlinks of the same host (plugin index-links).'),
  'index.links.outlinks.host.ignore': flag(false, 'Leave out outlinks to the same host (plugin index-links).'),
  'index.metadata': list(
    ['description', 'keywords'],
    'Meta elements that become fields meta_<name> (plugin index-metadata), where metatags.names keeps them.',
  ),
  'index.metadata.separator': text(
    '',
    'Divides several values of one name (plugin index-metadata). Empty: only tabs do.',
    ANY_TEXT,
    'at most 100 characters',
  ),
  'index.parse.md': list(
    ['metatag.description', 'metatag.keywords'],
    'Metadata of parsers that becomes fields (plugin index-metadata).',
  ),
  'index.replace.regexp': rules(
    '',
    'Lines of field=/expression/substitution/flags or field:target=…, behind hostmatch=… or urlmatch=… for the pages that match (plugin index-replace).',
  ),
  'index.static': text('', 'Constant fields: field1:val1,field2:val2 val3 (plugin index-static).'),
  'index.static.fieldsep': text(',', 'Divides the fields of index.static.', ANY_TEXT, 'at most 100 characters'),
  'index.static.keysep': text(':', 'Divides name and values in index.static.', ANY_TEXT, 'at most 100 characters'),
  'index.static.valuesep': text(
    ' ',
    'Divides the values of a field in index.static.',
    ANY_TEXT,
    'at most 100 characters',
  ),
  'indexer.add.domain': flag(false, 'Add the registered domain of a page as field domain (plugin index-basic).'),
  'indexer.credentials': takingSecrets(
    rules(
      '',
      'Credentials of index writers, one a line: the id of the writer, a user and a password, or Bearer and a token. Sent only to engines of indexer.engines.',
    ),
  ),
  'indexer.engines': list(
    [],
    'Engines, as host:port, that index writers may reach wherever they are; others must be where pages may be fetched from (http.filter.ipaddress.exclude).',
  ),
  'indexer.delete': flag(
    false,
    'INDEX also deletes pages of its batch that are gone, redirected or duplicates; as deleteGone.',
  ),
  'indexer.delete.robots.noindex': flag(
    false,
    'INDEX deletes pages that say noindex. Else they have no text and no title.',
  ),
  'indexer.delete.skipped.by.indexingfilter': flag(
    false,
    'INDEX deletes pages whose document an indexing filter drops.',
  ),
  'indexer.indexwriters.file': ruleFile('index-writers.xml', 'File of indexer.indexwriters.rules.'),
  'indexer.indexwriters.rules': rules(
    '',
    'Index writers as XML of Nutch (index-writers.xml): writers with id, class, parameters, mapping. Empty: each active plugin that writes without parameters.',
  ),
  'indexer.max.content.length': int(-1, 'Characters of content indexed. -1: all that is kept.', {
    min: -1,
    max: 67_108_864,
    unit: 'characters',
  }),
  'indexer.max.title.length': int(100, 'Characters of title indexed. -1: all that is kept.', {
    min: -1,
    max: 100_000,
    unit: 'characters',
  }),
  'indexer.score.power': float(0.5, 'Exponent by which the score of a page becomes its boost (scoring-opic).', {
    min: 0,
    max: 10,
  }),
  'indexer.skip.notmodified': flag(false, 'INDEX leaves out pages that have not changed since the visit before.'),
  'indexer.write.retries': int(
    8,
    'How often a writer is tried again with a chunk that did not arrive, until it is given up for this job.',
    { max: 100 },
  ),
  'indexer.write.timeout': float(
    60,
    'Longest time of a request to an engine, or of a call of the writer of a plugin.',
    {
      min: 0.1,
      max: 3_600,
      unit: 's',
    },
  ),
  'indexingfilter.order': list([], 'Order of the indexing filters. Empty: as enabled.', ' '),
  'mimetype.filter.file': ruleFile('mimetype-filter.txt', 'File of mimetype.filter.rules.'),
  'mimetype.filter.rules': rules(
    '',
    'Content types, or beginnings of them, one a line (plugin mimetype-filter): behind a line - those that are indexed, behind + those that are not.',
  ),
  'moreIndexingFilter.indexMimeTypeParts': flag(true, 'Index main and sub type of a content type as values, too.'),
  'moreIndexingFilter.mapMimeTypes': flag(
    false,
    'Index content types under names of moreIndexingFilter.mapMimeTypes.rules.',
  ),
  'moreIndexingFilter.mapMimeTypes.field': text('', 'Field for those names. Empty: they take the place of the type.'),
  'moreIndexingFilter.mapMimeTypes.file': ruleFile(
    'contenttype-mapping.txt',
    'File of moreIndexingFilter.mapMimeTypes.rules; in Nutch it has always this name.',
  ),
  'moreIndexingFilter.mapMimeTypes.rules': rules(
    '',
    'Names of content types, one a line: a name and its types, separated by tabs.',
  ),
  'subcollection.case.insensitive': flag(false, 'Match URLs with the lists of subcollections in any letter case.'),
  'subcollection.default.fieldname': text('subcollection', 'Field of the names of subcollections that name none.'),
  'subcollections.config': ruleFile('subcollections.xml', 'File of subcollections.rules.'),
  'subcollections.rules': rules(
    '',
    'Subcollections as XML of Nutch (subcollections.xml): name, key, whitelist and blacklist of texts in URLs.',
  ),
};
