import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Each package is loaded from one file (docs/adr/0025-packages-in-one-file.md), which must equal the package. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = `${ROOT}dist/node_modules/`;
const packages = readdirSync(FOLDER)
  .filter((name) => !name.startsWith('.'))
  .flatMap((name) => (name.startsWith('@') ? readdirSync(FOLDER + name).map((part) => `${name}/${part}`) : [name]));

/** Reads the exports in a separate process: in this one an import of the package is redirected to the file. */
const LOOK = `
  const look = async (from) => {
    const found = await import(from);
    const all = { ...found, ...Object(found.default), default: found.default };
    delete all['module.exports'];
    return Object.fromEntries(Object.entries(all).map(([name, is]) => [name, [typeof is, is?.name].join(' ')]));
  };
  const pairs = {};
  for (const name of process.argv.slice(1)) pairs[name] = [await look(name), await look('${FOLDER}' + name + '/index.js')];
  process.stdout.write(JSON.stringify(pairs), () => process.exit());`;

const found = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '-e', LOOK, ...packages], { cwd: ROOT, encoding: 'utf8' }),
) as Record<string, [original: Record<string, string>, file: Record<string, string>]>;

it('dist/node_modules contains the packages that all processes load', () =>
  expect(packages).toEqual(expect.arrayContaining(['@nestjs/core', 'class-validator', 'pg', 'typeorm', 'undici'])));

it.each(packages)('%s exports the same names with the same types from its file', (name) => {
  const [expected, actual] = found[name]!;
  expect(actual).toEqual(expected);
});
