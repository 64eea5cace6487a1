import { propertyNames, propertyOf } from './properties.js';
import type { Property } from './property.js';
import { unreadProperties } from './unread-properties.js';

/**
 * The manual's page of properties, made from the one table (docs/properties.md is this text).
 */

const opening = `# Crawl properties

This page is written from the table in \`src/conf\` by \`npm run openapi\`. A configuration starts from these defaults;
\`CONF_FILE\`, then a named configuration (\`POST /config/create\`) are laid over them. A job keeps the configuration it was
created with. Values are strings or JSON types; \`\${name}\` in a value stands for the value of that property. A known property
with a bad value is refused; an unknown one is kept, and the answer names the nearest known one.

## Where the defaults differ from Nutch's

<!-- prettier-ignore -->
| property | here | reason |
| --- | --- | --- |
| \`http.filter.ipaddress.exclude\` | every range that is not globally reachable | whoever may start a crawl must not reach inner addresses through it |
| \`http.filter.ports.exclude\` | (new) ports below 1024 but 80 and 443, and those of databases | the same |
| \`http.tls.certificates.check\` | true | pages of a server that does not prove its name are not that server's pages |
| \`http.time.limit\` | 60 s | a body that trickles would hold its connection for ever |
| \`db.ignore.internal.links\` | true, and it governs stored inlinks only | 1.x drops such links while parsing when it is true (it ships false), and has \`linkdb.ignore.internal.links\` for the inlinks of INVERTLINKS (true, as here); 2.x has one property (true). Here links inside a host are always followed, and stored as inlinks only when this is false |
| \`fetcher.max.exceptions.per.queue\` | 5 | as 1.x; 2.x ships -1 |
| \`http.robots.503.defer.visits.retries\` | 0 | a FETCH does not wait for one host (3 × 5 min); the pages are due again a day later |
| \`store.http.headers\` | true | they are part of the page row, as in 2.x |
| \`urlnormalizer.basic.host.idna2008\` | true | browsers, and so the links that are resolved here, follow it |
| \`http.agent.version\` | names this program | |
| \`plugin.includes\` | the plugins that exist here | |

## All properties

<!-- prettier-ignore -->
| property | default | takes | meaning |
| --- | --- | --- | --- |
`;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function row(name: string, property: Property<unknown>): string {
  const shown = property.defaultText.length > 160 ? `${property.defaultText.slice(0, 160)}…` : property.defaultText;
  const value = shown === '' ? '(empty)' : `\`${cell(shown)}\``;
  const takes = property.unit === '' ? property.allowed : `${property.allowed} (${property.unit})`;
  const meaning = unreadProperties.has(name)
    ? `${property.sentence} (Not read yet: it changes nothing.)`
    : property.sentence;
  return `| \`${name}\` | ${value} | ${cell(takes)} | ${cell(meaning)} |`;
}

/** The whole page, in Markdown. */
export function propertyManual(): string {
  const rows = propertyNames.map((name) => {
    const property = propertyOf(name);
    return property === undefined ? '' : row(name, property);
  });
  return `${opening}${rows.join('\n')}\n`;
}
