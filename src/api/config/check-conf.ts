/** Checks what the table of properties cannot: expressions, addresses, ports. A typo there must not open the egress guard. */
import type { Conf } from '../../core/conf/properties.js';
import { PropertyRefused } from '../../core/conf/property-refused.js';
import { hostExpressions } from '../../cycle/generate/host-numbers.js';
import { sessionRules } from '../../plugin/http-protocol.js';
import { SHIPPED_EXCLUSIONS, parseAddressRule } from '../../core/address/address-classes.js';
import { makeSchedule, makeSignature } from '../../plugin/chosen-by-class.js';
import { makeRoute } from '../../plugin/exchanges.js';
import { engineAuthority } from '../../plugin/index-writer/engine.js';
import { chosenWriters } from '../../plugin/index-writers.js';
import { makeIndexing } from '../../plugin/indexing-filters.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { makeParseChain } from '../../plugin/parse-chain.js';
import { portRange } from '../../core/address/port-range.js';
import { checkUrlRules } from '../../plugin/url-rules.js';

const addressLists = ['http.filter.ipaddress.exclude', 'http.filter.ipaddress.include'] as const;

/** @throws PropertyRefused with a sentence that names the property, what was given and what is allowed */
export function checkConf(conf: Conf): void {
  checkUrlRules(conf);
  sessionRules(conf);
  makeSchedule(conf);
  makeSignature(conf);
  makeParseChain(conf);
  makeScoring(conf);
  makeIndexing(conf);
  chosenWriters(conf);
  makeRoute(conf);
  hostExpressions(conf);
  const relative = conf['file.crawl.roots'].find((root) => !root.startsWith('/'));
  if (relative !== undefined) throw valueRefusal('file.crawl.roots', relative, ROOTS);
  for (const name of addressLists) {
    const bad = conf[name].find((rule) => parseAddressRule(rule) === null);
    if (bad !== undefined) {
      const classes = SHIPPED_EXCLUSIONS.filter((rule) => /^[a-z]+$/.test(rule)).join(', ');
      throw valueRefusal(name, bad, `CIDR blocks such as 10.0.0.0/8 and classes of addresses such as ${classes}`);
    }
  }
  const stray = conf['indexer.engines'].find((engine) => engineAuthority(engine) === null);
  if (stray !== undefined)
    throw valueRefusal('indexer.engines', stray, 'engines as host:port, such as solr.example.org:8983');
  const bad = conf['http.filter.ports.exclude'].find((range) => portRange(range) === null);
  if (bad !== undefined)
    throw valueRefusal('http.filter.ports.exclude', bad, 'ports from 0 to 65535 and ranges such as 1-79');
}

/** A path with blanks arrives as several words, of which all but the first begin without a slash. */
const ROOTS = 'absolute paths without blanks and commas, such as /srv/files, separated by commas or spaces';

const valueRefusal = (name: string, given: string, allowed: string): PropertyRefused =>
  new PropertyRefused(
    name,
    `Property ${name} cannot contain ${JSON.stringify(given.slice(0, 100))}: it takes ${allowed}.`,
  );
