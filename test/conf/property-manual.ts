import { type Difference, nutchDifferences } from '../../src/core/conf/nutch-differences.js';
import { propertyNames, propertyOf } from '../../src/core/conf/properties.js';
import { groupOf, propertyGroups } from '../../src/core/conf/property-groups.js';
import type { Property } from '../../src/core/conf/property.js';
import { withoutMeaningGroups } from '../../src/core/conf/unsupported-properties.js';

/**
 * The manual's page of properties, made from the one table (docs/properties.md is this text): by what they are about,
 * then where they differ from Nutch's, then those of Nutch that have no effect here.
 */

const opening = `# Crawl properties

\`npm run openapi\` writes this page from the table in \`src/core/conf\`. \`GET /v1/properties\` returns the same table, with the properties
of external plugins.

- A value of \`CONF_FILE\` overrides the default; a value of a named configuration (\`POST /config/create\`) overrides both.
- A job keeps the configuration that it was created with.
- Values are strings or JSON types. \`\${name}\` in a value is replaced by the value of that property.
- A known property with an invalid value is refused. An unknown property is kept; the answer names the most similar known one, or
  says why a property of Nutch has no effect here.
`;

const rowsOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  ['<!-- prettier-ignore -->', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** The anchor that Markdown makes of a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

function propertyRow(name: string, property: Property<unknown>): string[] {
  const shown = property.defaultText.length > 160 ? `${property.defaultText.slice(0, 160)}…` : property.defaultText;
  const value = shown === '' ? '(empty)' : `\`${cell(shown)}\``;
  // The maximum length of a text is irrelevant in practice.
  const allowed = property.allowed.replace(/, at most \d+ characters(?: without NUL)?$/, '');
  const takes = property.unit === '' ? allowed : `${allowed} (${property.unit})`;
  const differs = Object.hasOwn(nutchDifferences, name) ? ' [≠ Nutch](#where-defaults-differ-from-nutchs)' : '';
  return [`\`${name}\``, value, cell(takes), cell(`${property.sentence}${differs}`)];
}

function groups(): { title: string; table: string }[] {
  return propertyGroups.flatMap(({ id, title }) => {
    const rows = propertyNames.flatMap((name) => {
      const property = propertyOf(name);
      return property !== undefined && groupOf(name).id === id ? [propertyRow(name, property)] : [];
    });
    return rows.length === 0 ? [] : [{ title, table: rowsOf(['property', 'default', 'takes', 'meaning'], rows) }];
  });
}

const differenceRow = ([name, { nutch, here, reason }]: [string, Difference]): string[] =>
  [`\`${name}\``, nutch, here, reason].map(cell);

function withoutMeaning(): string {
  const lists = withoutMeaningGroups
    .filter(({ names }) => names.length > 0)
    .map(
      ({ reason, names }) =>
        `- ${reason}\n  ${[...names]
          .sort()
          .map((name) => `\`${name}\``)
          .join(', ')}`,
    );
  return `${lists.join('\n')}\n`;
}

/** The whole page, in Markdown. */
export function propertyManual(): string {
  const tables = groups();
  const differences = "Where defaults differ from Nutch's";
  const nothing = 'Properties of Nutch that have no effect here';
  const contents = [...tables.map(({ title }) => title), differences, nothing]
    .map((title) => `- [${title}](#${anchorOf(title)})`)
    .join('\n');
  return [
    opening,
    contents,
    ...tables.map(({ title, table }) => `## ${title}\n\n${table}`),
    `## ${differences}\n`,
    rowsOf(['property', "Nutch's", 'here', 'reason'], Object.entries(nutchDifferences).map(differenceRow)),
    `## ${nothing}\n\nThey are accepted, kept and shown, like all unknown properties. The answer to a request that sets one gives the reason.\n`,
    withoutMeaning(),
  ].join('\n\n');
}
