import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import type { EntityMetadata } from 'typeorm';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';

const path = fileURLToPath(new URL('../../docs/data-model.md', import.meta.url));

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The columns of a table, in the order of its entity. */
function columnTable({ columns }: EntityMetadata): string {
  const rows = columns.map((column) => {
    const type = `${String(column.type)}${column.isArray ? '[]' : ''}`;
    const more = column.isPrimary ? ', key' : column.isNullable ? ' or null' : '';
    return `| \`${column.databaseName}\` | ${type}${more} | ${cell(column.comment ?? '')} |`;
  });
  return ['| column | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

it('docs/data-model.md describes the columns of each table as its entity does (written by npm run openapi)', async () => {
  const database = await testDatabase();
  try {
    const { entityMetadatas } = await database.dataSource();
    let document = readFileSync(path, 'utf8');
    for (const entity of entityMetadatas) {
      const section = new RegExp(`(^### \`${entity.tableName}\`\\n(?:(?![#|]).*\\n)*)((?:\\|.*\\n)*)`, 'm');
      expect(section.test(document), `docs/data-model.md has a heading ### \`${entity.tableName}\``).toBe(true);
      document = document.replace(section, (_, head: string) => `${head}${columnTable(entity)}\n`);
    }
    const text = await format(document, { ...(await resolveConfig(path)), filepath: path });
    await expect(text).toMatchFileSnapshot(path);
  } finally {
    await database.drop();
  }
});
