import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Nothing is skipped in silence: what a spec leaves out has a reason that a run tells (left-out.deep.spec.ts). */

const root = join(import.meta.dirname, '../..');

/** What stands below test/, without the files that speak of tests left out. */
const sources = (): { file: string; text: string }[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('left-out'))
    .map((file) => ({ file, text: readFileSync(join(root, 'test', file), 'utf8') }));

it('tables of the cases of others are made by eachCase, which stands for them where there are none', () => {
  const plain = sources().filter(({ text }) => /\bit\.each\((?:suiteOf|groupOf)\b/.test(text));
  expect(plain.map(({ file }) => file)).toEqual([]);
});

it('only the loader knows where the cases of others are', () => {
  const own = sources().filter(({ text }) => /conformance\/data|\Snutch\/examples\.json['"]/.test(text));
  expect(own.map(({ file }) => file)).toEqual(['support/conformance.ts']);
});

it('every test that is skipped somewhere has a reason', () => {
  const silent = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skipIf|runIf|skip|todo)\b/;
  expect(
    sources()
      .filter(({ text }) => silent.test(text))
      .map(({ file }) => file),
  ).toEqual([]);
});
