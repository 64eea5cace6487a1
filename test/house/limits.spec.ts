import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

/**
 * Compares docs/limits.md with the constants that it names.
 *
 * A limit is a number with commas between thousands, then a unit. KiB, MiB and GiB are multiples of a byte; ms, s, min, h and
 * days are times, and the name of their constant ends with its unit. Any other unit is words for what is counted.
 */

const root = join(import.meta.dirname, '..', '..');
const documentOf = (path: string): string => readFileSync(join(root, path), 'utf8').replace(/ +/g, ' ');

const BYTES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
/** In milliseconds. */
const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, days: 86_400_000 };
/** Ends of the names of constants that are times. */
const TIME_NAMES: readonly (readonly [RegExp, number])[] = [
  [/(?:_MS|Ms|Timeout)$/, 1],
  [/(?:_S|\.seconds)$/, 1_000],
  [/_HOURS$/, 3_600_000],
];

type SourceOf = (path: string) => string | undefined;
const sourceOf: SourceOf = (path) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;

/** The value of a constant, or of a member of one: `NAME`, `NAME.member`. Undefined if nothing declares it. */
function valueOf(read: SourceOf, path: string, name: string): number | undefined {
  const source = read(path) ?? '';
  const [constant = '', ...members] = name.split('.');
  let [, text] = new RegExp(`^\\s*(?:export )?const ${constant}(?::[^=]+)? =([^;]+);`, 'm').exec(source) ?? [];
  if (text === undefined) return importedFrom(source, path, constant, (from) => valueOf(read, from, name));
  for (const member of members) [, text = ''] = new RegExp(`\\b${member}: ([^]*)`).exec(text) ?? [];
  const [expression = ''] = members.length > 0 ? text.split(/[,}\n]/, 1) : [text];
  const known = expression.replace(/\b[A-Z][A-Z0-9_]+\b/g, (other) => String(valueOf(read, path, other)));
  return known.trim() === '' ? undefined : Number(runInNewContext(known));
}

function importedFrom<T>(source: string, path: string, name: string, then: (from: string) => T): T | undefined {
  const [, from] = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)\\.js'`).exec(source) ?? [];
  return from === undefined ? undefined : then(`${join(dirname(path), from)}.ts`);
}

/** What a limit says, in the unit of the constant; undefined if it is not written as it must be. */
function limitOf(limit: string, constant: string): number | undefined {
  const [, written = '', unit = ''] = /^(\d{1,3}(?:,\d{3})*(?:\.\d+)?) (\S.*)$/.exec(limit) ?? [];
  if (written === '') return undefined;
  const number = Number(written.replaceAll(',', ''));
  const [, unitOfName] = TIME_NAMES.find(([shape]) => shape.test(constant)) ?? [];
  if ((unitOfName === undefined) !== (TIMES[unit] === undefined)) return undefined;
  return (number * (TIMES[unit] ?? BYTES[unit] ?? 1)) / (unitOfName ?? 1);
}

interface Row {
  readonly line: string;
  readonly limit: string;
  readonly constants: readonly { path: string; name: string }[];
}

function rowsOf(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|') && !/^\| (?:what|-+) \|/.test(line));
  return lines.map((line) => {
    const [, , limit = '', , last = ''] = line.split('|').map((cell) => cell.trim());
    const named = [...last.matchAll(/`(src\/[^`]+\.ts)` `([\w.]+)`/g)];
    return { line, limit, constants: named.map(([, path = '', name = '']) => ({ path, name })) };
  });
}

/** What is wrong with the rows. */
function faultsOf(text: string, read: SourceOf = sourceOf): string[] {
  const seen = new Set<string>();
  return rowsOf(text).flatMap(({ line, limit, constants }) => {
    if (constants.length === 0 || line.split('|').length !== 6)
      return [`no row of four cells with a constant: ${line}`];
    return constants.flatMap(({ path, name }) => {
      const constant = `${path} ${name}`;
      if (seen.has(constant)) return [`${constant} has two rows`];
      seen.add(constant);
      const value = valueOf(read, path, name);
      if (value === undefined) return [`${constant} does not exist`];
      const said = limitOf(limit, name);
      if (said === undefined) return [`${constant}: "${limit}" is not written as a limit of it`];
      return said === value ? [] : [`${constant} is ${value}, not ${limit}`];
    });
  });
}

describe('docs/limits.md', () => {
  const document = documentOf('docs/limits.md');

  it('has the value of each constant that it names', () => {
    expect(rowsOf(document).length).toBeGreaterThan(80);
    expect(faultsOf(document)).toEqual([]);
  });

  it('is linked from the documents that lead to it', () => {
    const paths = ['README.md', 'docs/operations.md', 'docs/settings.md', 'CONTRIBUTING.md'];
    expect(paths.filter((path) => !/\((?:docs\/)?limits\.md\)/.test(documentOf(path)))).toEqual([]);
  });
});

describe('the check of docs/limits.md', () => {
  const sources: Readonly<Record<string, string>> = {
    'src/a.ts': [
      `import { DAY_MS } from './b.js';`,
      'const MAX_LINES = 10_000;',
      'export const MAX_BYTES: number = 64 * 1024;',
      'const PATIENCE_MS = 2 ** 10 * 1_000;',
      'const KEEP_MS = 30 * DAY_MS;',
      'const MAX_SIZE = 8 << 20;',
      'const limits = { max: 16, of: { max: 7, waitMs: 1_500 } };',
    ].join('\n'),
    'src/b.ts': 'export const DAY_MS = 86_400 * 1000;',
  };
  const faults = (limit: string, name: string, path = 'src/a.ts') =>
    faultsOf(`| lines | ${limit} | refused | \`${path}\` \`${name}\` |`, (asked) => sources[asked]);

  it.each([
    ['10,000 lines', 'MAX_LINES'],
    ['64 KiB', 'MAX_BYTES'],
    ['65,536 bytes', 'MAX_BYTES'],
    ['1,024 s', 'PATIENCE_MS'],
    ['30 days', 'KEEP_MS'],
    ['8 MiB', 'MAX_SIZE'],
    ['16 at once', 'limits.max'],
    ['7 at once', 'limits.of.max'],
    ['1.5 s', 'limits.of.waitMs'],
  ])('accepts %s for %s', (limit, name) => expect(faults(limit, name)).toEqual([]));

  it.each([
    ['9,999 lines', 'MAX_LINES', 'src/a.ts MAX_LINES is 10000, not 9,999 lines'],
    ['64 KB', 'MAX_BYTES', 'src/a.ts MAX_BYTES is 65536, not 64 KB'],
    ['17 at once', 'limits.max', 'src/a.ts limits.max is 16, not 17 at once'],
    ['10000 lines', 'MAX_LINES', 'src/a.ts MAX_LINES: "10000 lines" is not written as a limit of it'],
    ['10,000', 'MAX_LINES', 'src/a.ts MAX_LINES: "10,000" is not written as a limit of it'],
    ['10,000 s', 'MAX_LINES', 'src/a.ts MAX_LINES: "10,000 s" is not written as a limit of it'],
    ['1,024,000 pages', 'PATIENCE_MS', 'src/a.ts PATIENCE_MS: "1,024,000 pages" is not written as a limit of it'],
    ['10,000 lines', 'MAX_ROWS', 'src/a.ts MAX_ROWS does not exist'],
    ['7 at once', 'limits.least', 'src/a.ts limits.least does not exist'],
  ])('refuses %s for %s', (limit, name, fault) => expect(faults(limit, name)).toEqual([fault]));

  it('refuses a file that does not exist, a row without a constant, and a constant with two rows', () => {
    expect(faults('10,000 lines', 'MAX_LINES', 'src/c.ts')).toEqual(['src/c.ts MAX_LINES does not exist']);
    expect(faultsOf('| lines | 10,000 lines | refused |')).toHaveLength(1);
    const row = '| lines | 10,000 lines | refused | `src/a.ts` `MAX_LINES` |';
    expect(faultsOf(`${row}\n${row}`, (asked) => sources[asked])).toEqual(['src/a.ts MAX_LINES has two rows']);
  });

  it('finds a wrong value that is planted into any row of the document', () => {
    for (const { line, limit, constants } of rowsOf(documentOf('docs/limits.md'))) {
      const planted = line.replace(
        `| ${limit} |`,
        `| ${limit.replace(/\d(?!.*\d)/, (digit) => String((Number(digit) + 1) % 10))} |`,
      );
      expect([line, faultsOf(planted).length]).toEqual([line, constants.length]);
    }
  });
});
