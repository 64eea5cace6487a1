const job = (type: string): string => `POST /job/create with type ${type}`;

/** Commands of bin/nutch that this program does not have under their names, and what to use instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  readdb: 'POST /db/crawldb with type stats, dump, topN or url, or orbweaver export',
  readlinkdb: 'GET /v1/pages/{url}, whose inlinks are the links to a page',
  readhostdb: 'GET /v1/hosts',
  domainstats: 'GET /v1/hosts, or POST /db/crawldb with type stats',
  protocolstats: 'GET /v1/hosts, or POST /db/crawldb with type stats',
  crawlcomplete: 'GET /v1/hosts, or POST /db/crawldb with type stats',
  nodedumper: 'POST /reader/node/read, or GET /v1/pages, whose ranks are the scores of the nodes',
  nodereader: 'GET /v1/pages/{url}, whose ranks are the scores of the node',
  mergedb: 'one crawl id, as all pages of a crawl are in one table',
  mergelinkdb: 'one crawl id, as all links of a crawl are in one table',
  dump: 'orbweaver export, or GET /v1/pages/{url}/content',
  commoncrawldump: 'POST /services/commoncrawldump',
  hostdb: job('HOSTDB'),
  updatehostdb: job('HOSTDB'),
  hostinject: `${job('HOSTDB')} and the argument hosts`,
  sitemap: job('SITEMAP'),
  freegen: `${job('GENERATE')} and the argument freegen`,
  parsechecker: 'POST /v1/inspect/parse',
  filterchecker: 'orbweaver inspect',
  normalizerchecker: 'orbweaver inspect',
  solrindex: 'orbweaver index',
  elasticindex: 'orbweaver index',
  solrdedup: 'orbweaver dedup',
  solrclean: 'orbweaver clean',
  nutchserver: 'orbweaver serve',
  startserver: 'orbweaver serve',
  webapp: 'orbweaver serve, whose dashboard is at /',
  showproperties: 'GET /config/{id}, or GET /v1/properties',
  plugin: 'GET /v1/plugins',
};

/** What does here what a command of Nutch does there; undefined for any other word. */
export const insteadOf = (command: string): string | undefined =>
  Object.hasOwn(INSTEAD, command) ? INSTEAD[command] : undefined;
