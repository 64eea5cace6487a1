import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { chosenWriters } from '../../src/plugin/index-writers.js';
import { chosenWriter, openWriter } from './chosen-writer.js';

/** Parameters of writers to engines are checked before the first document: a job with a wrong one fails with its reason. */

const SOLR = 'indexer-solr';
const ELASTIC = 'indexer-elastic';
const OPENSEARCH = 'indexer-opensearch-1x';
const WEBHOOK = 'indexer-webhook';
const url = 'http://127.0.0.1:9200';

const open = (plugin: string, parameters: Record<string, string>, conf: Record<string, string> = {}) =>
  openWriter(chosenWriter({ plugin, parameters }, { 'indexer.engines': '127.0.0.1:9200', ...conf }), {});

describe('a writer to an engine', () => {
  it.each<[string, Record<string, string>, string]>([
    [SOLR, {}, 'its parameter url is missing'],
    [SOLR, { url: 'solr' }, 'its parameter url is no URL'],
    [SOLR, { url: 'ftp://127.0.0.1/solr' }, 'its parameter url is neither http nor https'],
    [SOLR, { url: 'http://me:secret@127.0.0.1:9200/' }, 'credentials belong in indexer.credentials, not in its url'],
    [SOLR, { url, auth: 'TRUE', username: 'me', password: 'secret' }, 'credentials belong in indexer.credentials'],
    [SOLR, { url, type: 'cloud' }, 'its parameter type is http: other ways to Solr are not supported'],
    [SOLR, { url, commitSize: '0' }, 'its parameter commitSize is a whole number from 1 to 10000'],
    [ELASTIC, { host: '127.0.0.1', index: 'Pages' }, 'its parameter index is a name in lower case'],
    [ELASTIC, { host: '127.0.0.1', 'max.bulk.docs': '1.5' }, 'its parameter max.bulk.docs is a whole number from 1'],
    [ELASTIC, { host: '127.0.0.1', 'max.bulk.size': 'big' }, 'its parameter max.bulk.size is a whole number from 1'],
    [ELASTIC, { host: 'a b' }, 'its parameters scheme, host and port make no URL'],
    [OPENSEARCH, { url, index: '_pages' }, 'its parameter index is a name in lower case'],
    [OPENSEARCH, { url, auth: 'true' }, 'credentials belong in indexer.credentials'],
    [WEBHOOK, { url: 'file:///etc/passwd' }, 'its parameter url is neither http nor https'],
  ])('%s with %j is refused', (plugin, parameters, why) => {
    expect(() => open(plugin, parameters)).toThrow(why);
  });

  it('is refused for credentials of another form, without their secret in the message', () => {
    const refusal = (credentials: string): string => {
      try {
        return String(open(SOLR, { url }, { 'indexer.credentials': credentials }));
      } catch (error) {
        return (error as Error).message;
      }
    };
    for (const credentials of ['w secret-of-w', 'other me ok\nw me secret-of-w too-many'])
      expect(refusal(credentials)).toMatch(
        /^indexer\.credentials: rule [12]: a writer, a user and a password are expected/,
      );
    expect(refusal('w secret-of-w')).not.toContain('secret-of-w');
    expect(refusal('w me secret-of-w\n# a comment\n\nother Bearer token')).toBe('[object Object]');
  });
});

it('writers of a truncated file are refused', () => {
  const whole = '<writers><writer id="w" class="indexer-jsonl"><parameters/></writer></writers>';
  const choose = (xml: string) => chosenWriters(parseConf({ 'indexer.indexwriters.rules': xml }).conf);
  expect(choose(whole)).toEqual([]);
  for (const length of [1, 12, 20]) expect(() => choose(whole.slice(0, -length))).toThrow(/a whole element <writers>/);
});
