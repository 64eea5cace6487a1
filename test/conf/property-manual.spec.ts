import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { propertyNames } from '../../src/core/conf/properties.js';
import { ruleFilePairs } from '../../src/core/conf/rule-file-pairs.js';
import { propertyManual } from './property-manual.js';

const manual = fileURLToPath(new URL('../../docs/properties.md', import.meta.url));

it('docs/properties.md equals the table of properties (npm run openapi writes it)', async () => {
  const text = await format(propertyManual(), { ...(await resolveConfig(manual)), filepath: manual });
  await expect(text).toMatchFileSnapshot(manual);
});

it('every property is read by some layer', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('conf'),
  );
  const code = files.map((name) => readFileSync(join(src, name), 'utf8')).join('\n');
  // A file is read into the property that holds its rules.
  const filed = new Set<string>(ruleFilePairs.map(({ file }) => file));
  // Properties of a scope are read by a composed name.
  const silent = propertyNames.filter(
    (name) => !code.includes(name) && !/^urlnormalizer\.(?:scope|regex\.rules)\./.test(name) && !filed.has(name),
  );
  expect(silent).toEqual([]);
});

it('the properties of one prefix are declared in one file', () => {
  const folder = fileURLToPath(new URL('../../src/core/conf', import.meta.url));
  const filesOf = new Map<string, Set<string>>();
  for (const file of readdirSync(folder).filter(
    (name) => /^properties\..+\.ts$/.test(name) && name !== 'properties.ts',
  )) {
    for (const [, prefix] of readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}'?([\w-]+)[\w.-]*'?: /gm)) {
      filesOf.set(prefix!, (filesOf.get(prefix!) ?? new Set()).add(file));
    }
  }
  const several = [...filesOf].filter(([, files]) => files.size > 1).map(([prefix, files]) => [prefix, ...files]);
  expect({ prefixes: filesOf.size > 30, several }).toEqual({ prefixes: true, several: [] });
});
