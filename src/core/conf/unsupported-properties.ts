/**
 * Properties of Nutch without a meaning here, with the reason.
 *
 * A configuration made for Nutch is accepted as it is. Settings without effect must not look as if they worked: a client that
 * sets one of these gets the reason why it changes nothing, and docs/properties.md lists them.
 */
import { namesIn } from './name-list.js';

interface PropertyGroup {
  readonly reason: string;
  readonly names: readonly string[];
}

/** The groups, each with the message for its properties. */
export const withoutMeaningGroups: readonly PropertyGroup[] = [
  {
    reason: 'It belongs to storage by Hadoop or Gora; pages are kept in PostgreSQL (DATABASE_URL), crawls by crawlId.',
    names: namesIn(`db.preserve.backup segment.reader.content.recode storage.crawl.id storage.data.store.class
      storage.schema.host storage.schema.webpage`),
  },
  {
    reason:
      'It names files of the host database; the hosts of a crawl are in its host table, which expressions and HOSTDB read.',
    names: namesIn(`generate.hostdb`),
  },
  {
    reason:
      'It names Java classes that count for the host database; HOSTDB counts what hostdb.numeric.fields and hostdb.string.fields name.',
    names: namesIn(`hostdb.crawldatum.processors`),
  },
  {
    reason: 'It belongs to the threads of a Hadoop task; here requests wait without threads, and each has time limits.',
    names: namesIn(`fetcher.threads.timeout.divisor http.max.delays`),
  },
  {
    reason: 'Each ftp URL is fetched in a session of its own: within the delay of a host, servers close idle sessions.',
    names: namesIn(`ftp.keep.connection ftp.server.timeout`),
  },
  {
    reason: 'Nutch does not read it either: content of files is kept like that of other pages.',
    names: namesIn(`file.content.ignored`),
  },
  {
    reason:
      'Plugins from outside are loaded from the folder that the environment names (PLUGIN_DIR), never by a request.',
    names: namesIn(`plugin.folders`),
  },
  {
    reason: 'The REST API is guarded by the environment: API_KEYS, or RESTAPI_AUTH with RESTAPI_AUTH_USERS.',
    names: namesIn(`restapi.auth restapi.auth.ssl.keypass restapi.auth.ssl.storepass restapi.auth.ssl.storepath
      restapi.auth.users`),
  },
  {
    reason:
      'Expressions of JEXL are programs, which no request may contain; limits and delays are numbers, also those of a host.',
    names: namesIn(`nutch.jexl.disable.sandbox`),
  },
  {
    reason: 'It sets how much is logged; LOG_LEVEL does that here, and every visit is in the history of its page.',
    names: namesIn(`fetcher.verbose http.log.exceptions.suppress.stack http.verbose`),
  },
  {
    reason: 'It belongs to one HTTP library of several; here one client keeps its connections itself.',
    names: namesIn(`http.connection.pool.okhttp`),
  },
  {
    reason: 'HTTP/1.1 is spoken wherever HTTP/2 is not; HTTP/1.0 is left behind.',
    names: namesIn(`http.useHttp11`),
  },
  {
    reason: 'NTLM is not spoken.',
    names: namesIn(`http.agent.host`),
  },
  {
    reason: 'Events of fetches are in the event stream of a job and in webhooks, without a publisher.',
    names: namesIn(`fetcher.publisher`),
  },
  {
    reason:
      'A FETCH fetches the pages of its batch; links are followed by rounds (POST /v1/crawls), which know each page once.',
    names: namesIn(`fetcher.follow.outlinks.depth fetcher.follow.outlinks.depth.divisor
      fetcher.follow.outlinks.ignore.external fetcher.follow.outlinks.num.links`),
  },
  {
    reason: 'Every robots.txt that was read is kept in the table robots, also after it has expired.',
    names: namesIn(`fetcher.store.robotstxt`),
  },
  {
    reason: 'HTML is parsed as it streams in, by one parser; there is no choice between neko and tagsoup.',
    names: namesIn(`parser.html.impl`),
  },
  {
    reason: 'It has another name in 1.x, which counts here: fetcher.throughput.threshold.retries.',
    names: namesIn(`fetcher.throughput.threshold.sequence`),
  },
  {
    reason: 'It has another name in 1.x, which counts here: db.max.outlink.length.',
    names: namesIn(`parser.html.outlinks.max.target.length`),
  },
  {
    reason: 'Languages are identified by a library that has n-grams of its own.',
    names: namesIn(`lang.ngram.max.length lang.ngram.min.length`),
  },
  {
    reason: 'The metadata of a page are in its row, where every step reads them.',
    names: namesIn(`scoring.db.md`),
  },
  {
    reason: 'There is no Tika here; parsers of its types are plugins of their own.',
    names: namesIn(`tika.parse.embedded`),
  },
  {
    reason: 'The main content of a page (tika.extractor, tika.boilerpipe) is found in one way, by Readability.',
    names: namesIn(`tika.boilerpipe.extractor tika.extractor.boilerpipe.algorithm`),
  },
];

const reasons = new Map(withoutMeaningGroups.flatMap(({ reason, names }) => names.map((name) => [name, reason])));

/** Why the property has no meaning here; undefined for every other name. */
export const whyWithoutMeaning = (name: string): string | undefined => reasons.get(name);

export const namesWithoutMeaning: readonly string[] = [...reasons.keys()].sort();
