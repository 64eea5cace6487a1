/**
 * The names of Nutch's properties, by the line that has them: 1.x, 2.x or both. Taken from nutch-default.xml and the
 * defaults in its code; test/conf/nutch-defaults.spec.ts compares them with the list of them.
 */
import { namesIn } from './name-list.js';

/** A line of Nutch. */
export type NutchLine = '1.x' | '2.x' | 'both';

const inBoth = `
  anchorIndexingFilter.deduplicate crawl.gen.delay db.fetch.interval.default db.fetch.interval.max
  db.fetch.retry.max db.fetch.schedule.adaptive.dec_rate db.fetch.schedule.adaptive.inc_rate
  db.fetch.schedule.adaptive.max_interval db.fetch.schedule.adaptive.min_interval
  db.fetch.schedule.adaptive.sync_delta db.fetch.schedule.adaptive.sync_delta_rate db.fetch.schedule.class
  db.ignore.external.links db.ignore.internal.links db.max.outlinks.per.page db.parsemeta.to.crawldb
  db.score.count.filtered db.score.injected db.score.link.external db.score.link.internal db.signature.class
  db.signature.text_profile.min_token_len db.signature.text_profile.quant_rate db.update.additions.allowed
  db.update.max.inlinks encodingdetector.charset.min.confidence fetcher.max.crawl.delay
  fetcher.max.exceptions.per.queue fetcher.parse fetcher.queue.depth.multiplier fetcher.queue.mode
  fetcher.server.delay fetcher.server.min.delay fetcher.store.content fetcher.threads.fetch
  fetcher.threads.per.queue fetcher.throughput.threshold.check.after fetcher.throughput.threshold.pages
  fetcher.timelimit.mins file.content.ignored file.content.limit file.crawl.parent
  file.crawl.redirect_noncanonical ftp.content.limit ftp.follow.talk ftp.keep.connection ftp.password
  ftp.server.timeout ftp.timeout ftp.username generate.count.mode generate.filter generate.max.count
  generate.min.score generate.normalise generate.topN generate.update.crawldb htmlparsefilter.order http.accept
  http.accept.charset http.accept.language http.agent.description http.agent.email http.agent.host http.agent.name
  http.agent.rotate http.agent.rotate.file http.agent.url http.agent.version http.auth.file http.content.limit
  http.proxy.host http.proxy.password http.proxy.port http.proxy.realm http.proxy.username http.robots.403.allow
  http.robots.agents http.store.responsetime http.timeout http.useHttp11 indexer.max.title.length
  indexer.score.power indexingfilter.order lang.analyze.max.length lang.extraction.policy
  lang.identification.only.certain metatags.names mime.type.magic moreIndexingFilter.indexMimeTypeParts
  parse.plugin.file parser.caching.forbidden.policy parser.character.encoding.default parser.html.form.use_action
  parser.html.impl parser.html.outlinks.ignore_tags parser.skip.truncated parser.timeout partition.url.mode
  partition.url.seed plugin.auto-activation plugin.excludes plugin.folders plugin.includes scoring.filter.order
  store.ip.address urlfilter.automaton.file urlfilter.domain.file urlfilter.order urlfilter.prefix.file
  urlfilter.regex.file urlfilter.suffix.file urlnormalizer.loop.count urlnormalizer.order urlnormalizer.regex.file
`;

const inOne = `
  cosine.goldstandard.file crawldb.url.filters crawldb.url.normalizers db.fetch.schedule.mime.file
  db.ignore.also.redirects db.ignore.external.exemptions.file db.ignore.external.links.mode db.injector.overwrite
  db.injector.update db.max.outlink.length db.preserve.backup db.signature.text_profile.sec_sort_lex
  db.stats.score.quantiles db.update.purge.404 db.update.purge.orphans deduplication.compare.order
  deduplication.group.mode exchanges.exchanges.file fetcher.bandwidth.target
  fetcher.bandwidth.target.check.everyNSecs fetcher.exceptions.per.queue.clear.after
  fetcher.exceptions.per.queue.delay fetcher.filter.urls fetcher.follow.outlinks.depth
  fetcher.follow.outlinks.depth.divisor fetcher.follow.outlinks.ignore.external fetcher.follow.outlinks.num.links
  fetcher.maxNum.threads fetcher.min.crawl.delay fetcher.normalize.urls fetcher.publisher
  fetcher.redirect.dedupcache.seconds fetcher.redirect.dedupcache.size fetcher.signature fetcher.store.robotstxt
  fetcher.threads.start.delay fetcher.threads.timeout.divisor fetcher.throughput.threshold.retries
  generate.fetch.delay.expr generate.hostdb generate.max.count.expr generate.min.interval generate.restrict.status
  headings headings.multivalued hostdb.check.failed hostdb.check.known hostdb.check.new
  hostdb.crawldatum.processors hostdb.force.check hostdb.num.resolvers.threads hostdb.numeric.fields
  hostdb.percentiles hostdb.purge.failed.hosts.threshold hostdb.recheck.interval hostdb.string.fields
  hostdb.url.filter hostdb.url.normalize http.agent.host.cookie.file http.connection.pool.okhttp
  http.enable.cookie.header http.enable.if.modified.since.header http.filter.ipaddress.exclude
  http.filter.ipaddress.include http.log.exceptions.suppress.stack http.partial.truncated
  http.proxy.exception.list http.proxy.type http.redirect.max http.redirect.max.exceeded.skip
  http.robot.rules.allowlist http.robots.503.defer.visits http.robots.503.defer.visits.delay
  http.robots.503.defer.visits.retries http.robots.redirect.max http.time.limit http.tls.certificates.check
  http.useHttp2 index.content.md index.db.md index.jexl.filter index.links.hosts.only
  index.links.inlinks.host.ignore index.links.outlinks.host.ignore index.metadata.separator index.parse.md
  index.replace.regexp index.static index.static.fieldsep index.static.keysep index.static.valuesep
  indexer.add.domain indexer.delete indexer.delete.robots.noindex indexer.delete.skipped.by.indexingfilter
  indexer.indexwriters.file indexer.max.content.length indexer.skip.notmodified lang.index.languages
  link.analyze.damping.factor link.analyze.initial.score link.analyze.num.iterations link.delete.gone
  link.ignore.internal.domain link.ignore.internal.host link.ignore.limit.domain link.ignore.limit.page
  link.score.updater.clear.score linkdb.ignore.external.links linkdb.ignore.internal.links
  linkdb.max.anchor.length linkdb.max.inlinks mimetype.filter.file moreIndexingFilter.mapMimeTypes
  moreIndexingFilter.mapMimeTypes.field nutch.jexl.disable.sandbox parse.filter.urls parse.normalize.urls
  parser.delete.failed.parse parser.html.line.separators parser.html.outlinks.htmlnode_metadata_name
  parser.store.text scoring.content.md scoring.db.md scoring.depth.max scoring.depth.max.override
  scoring.depth.override.pattern scoring.orphan.mark.gone.after scoring.orphan.mark.orphan.after scoring.parse.md
  scoring.similarity.model scoring.similarity.ngrams scoring.similarity.stopword.file
  segment.reader.content.recode sitemap.redir.max sitemap.size.max sitemap.strict.parsing
  sitemap.url.default.sitemap.xml sitemap.url.filter sitemap.url.normalize sitemap.url.overwrite.existing
  store.http.headers store.http.request store.protocol.versions subcollection.case.insensitive
  subcollection.default.fieldname tika.extractor tika.extractor.boilerpipe.algorithm
  tika.extractor.boilerpipe.mime.types tika.parse.embedded urlfilter.domaindenylist.file urlfilter.fast.file
  urlfilter.fast.url.max.length urlfilter.fast.url.path.max.length urlfilter.fast.url.query.max.length
  urlmeta.tags urlnormalizer.basic.host.idn urlnormalizer.basic.host.idna2008
  urlnormalizer.basic.host.trim-trailing-dot urlnormalizer.hosts.file urlnormalizer.protocols.file
  urlnormalizer.protocols.rules urlnormalizer.slashes.file
`;

const inTwo = `
  db.max.anchor.length fetcher.queue.use.host.settings fetcher.throughput.threshold.sequence fetcher.verbose
  generate.max.distance http.max.delays http.verbose index.metadata lang.ngram.max.length lang.ngram.min.length
  parser.html.outlinks.max.target.length restapi.auth restapi.auth.ssl.keypass restapi.auth.ssl.storepass
  restapi.auth.ssl.storepath restapi.auth.users sitemap.content.limit sitemap.parser.timeout storage.crawl.id
  storage.data.store.class storage.schema.host storage.schema.webpage tika.boilerpipe tika.boilerpipe.extractor
  urlfilter.tld.length
`;

const nutchLines = new Map<string, NutchLine>([
  ...namesIn(inBoth).map((name): [string, NutchLine] => [name, 'both']),
  ...namesIn(inOne).map((name): [string, NutchLine] => [name, '1.x']),
  ...namesIn(inTwo).map((name): [string, NutchLine] => [name, '2.x']),
]);

const OF_SCOPE = /^urlnormalizer\.(?:scope|regex\.file)\.[^.]+$/;

/** Which line of Nutch has the property; null for our own. */
export const nutchLineOf = (name: string): NutchLine | null =>
  nutchLines.get(name) ?? (OF_SCOPE.test(name) ? 'both' : null);
