const job = (type: string): string => `POST /job/create with type ${type}`;

/** Commands of bin/nutch that this program does not have under their names, and what to use instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  readdb: 'POST /db/crawldb with type stats, dump, topN or url, or orbweaver export',
  readlinkdb: 'GET /v1/pages/{url}, whose inlinks are the links to a page',
  readhostdb: 'GET /v1/hosts',
  hostdb: job('HOSTDB'),
  updatehostdb: job('HOSTDB'),
  sitemap: job('SITEMAP'),
  freegen: `${job('GENERATE')} and the argument freegen`,
  parsechecker: 'POST /v1/inspect/parse',
  filterchecker: 'orbweaver inspect',
  normalizerchecker: 'orbweaver inspect',
  solrindex: 'orbweaver index',
  solrdedup: 'orbweaver dedup',
  solrclean: 'orbweaver clean',
  nutchserver: 'orbweaver serve',
  startserver: 'orbweaver serve',
};

/** What does here what a command of Nutch does there; undefined for any other word. */
export const insteadOf = (command: string): string | undefined =>
  Object.hasOwn(INSTEAD, command) ? INSTEAD[command] : undefined;
