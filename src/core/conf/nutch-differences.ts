/** Where a default differs from Nutch's, or a property has another meaning, with the reason. */

export interface Difference {
  readonly nutch: string;
  readonly here: string;
  readonly reason: string;
}

export const nutchDifferences: Readonly<Record<string, Difference>> = {
  'db.ignore.internal.links': {
    nutch: '1.x false, 2.x true',
    here: 'true, and it governs stored inlinks only',
    reason:
      '1.x drops such links while parsing when it is true, and has `linkdb.ignore.internal.links` for the inlinks of INVERTLINKS (true, as here); 2.x has one property. Here links inside a host are always followed, and stored as inlinks only when this is false',
  },
  'fetcher.max.exceptions.per.queue': {
    nutch: '1.x 5, 2.x -1',
    here: '5',
    reason: 'a host that fails gets no more requests',
  },
  'generate.topN': { nutch: 'none', here: '-1', reason: 'the same: no limit, in a number' },
  'http.agent.version': { nutch: 'Nutch-…', here: 'names this program', reason: 'servers see which crawler it is' },
  'http.filter.ipaddress.exclude': {
    nutch: 'empty',
    here: 'every range that is not globally reachable',
    reason: 'a client that may start a crawl must not reach inner addresses through it',
  },
  'http.filter.ports.exclude': {
    nutch: 'does not exist',
    here: 'ports below 1024 but 80 and 443, and those of databases',
    reason: 'the same',
  },
  'http.proxy.port': { nutch: 'empty', here: '8080', reason: 'what Nutch uses if it is empty' },
  'http.robots.503.defer.visits.retries': {
    nutch: '3',
    here: '0',
    reason: 'a FETCH does not wait for one host (3 × 5 min); the pages are due again a day later',
  },
  'http.time.limit': { nutch: '-1', here: '60 s', reason: 'a body that trickles would hold its connection forever' },
  'http.tls.certificates.check': {
    nutch: 'false',
    here: 'true',
    reason: "pages of a server that does not prove its name are not that server's pages",
  },
  'index.static.valuesep': { nutch: 'a space', here: 'a space', reason: 'the same; lists of defaults lose it' },
  'plugin.includes': {
    nutch: 'with the plugins of Solr and Tika',
    here: 'the plugins that exist here, `urlfilter-suffix` and `urlfilter-trap` among them',
    reason:
      'own rules of `urlfilter.regex.rules` rarely name all files that are no pages. To fetch images and the like: `plugin.excludes` `urlfilter-suffix`, or `urlfilter.suffix.rules`',
  },
  'store.http.headers': { nutch: 'false', here: 'true', reason: 'they are part of the page row, as in 2.x' },
  'urlfilter.tld.length': { nutch: '8 (2.x)', here: '-1', reason: 'top-level domains have grown longer than that' },
  'urlnormalizer.basic.host.idna2008': {
    nutch: 'false',
    here: 'true',
    reason: 'browsers, and so the links that are resolved here, follow it',
  },
};
