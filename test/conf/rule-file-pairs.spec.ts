import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfRefused } from '../../src/conf/conf-texts.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { RuleFileStore } from '../../src/conf/rule-file.store.js';
import { propertyOf } from '../../src/core/conf/properties.js';
import { ruleFilePairs } from '../../src/core/conf/rule-file-pairs.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Each property that names a file of rules (`*.file`), and the property that has the same rules inline. */

let database: TestDatabase;
let confs: ConfStore;
let files: RuleFileStore;
beforeAll(async () => {
  database = await testDatabase();
  const source = await database.dataSource();
  // Rules are not checked here: what they mean is not the same for any two properties.
  confs = new ConfStore(source);
  files = new RuleFileStore(source);
});
afterAll(() => database?.drop());

const CONTENT = '# stored\na.test b.test ${http.agent.name}\n';
/** A file for secrets has a word for them in its name, and no other file has. */
const named = (rules: string, name: string) => `${name}${propertyOf(rules)?.secret ? '-auth' : ''}.txt`;

describe.each(ruleFilePairs)('$file', ({ file, rules }) => {
  it(`names a stored file, whose text becomes the value of ${rules} as it is`, async () => {
    await files.save(named(rules, 'own'), CONTENT);
    const conf = await confs.effective({ [file]: named(rules, 'own'), 'http.agent.name': 'bot' });
    expect(conf[rules]).toBe(CONTENT);
  });

  it(`is not read when ${rules} is given inline`, async () => {
    await files.save(named(rules, 'own'), CONTENT);
    const conf = await confs.effective({ [file]: named(rules, 'own'), [rules]: 'inline' });
    expect(conf[rules]).toBe('inline');
  });

  it('that names a file which is not stored is refused: the message says the property, the file, and how to store it', async () => {
    const refused = confs.create('refused', { [file]: 'none.txt' }, true);
    await expect(refused).rejects.toBeInstanceOf(ConfRefused);
    await expect(refused).rejects.toThrow(
      `Property ${file} names the rule file "none.txt", which is not stored: PUT /v1/rule-files/none.txt first.`,
    );
  });

  it(`${propertyOf(rules)?.secret ? 'takes no file but one of secrets' : 'takes no file of secrets'}, by its name`, async () => {
    const other = propertyOf(rules)?.secret ? 'plain.txt' : 'of-others-auth.txt';
    await files.save(other, CONTENT);
    const refused = confs.create('refused', { [file]: other }, true);
    await expect(refused).rejects.toThrow(`Property ${file} cannot take the rule file "${other}"`);
  });

  const shipped = String(propertyOf(file)?.default);
  if (shipped === '') return;
  it(`is ${shipped} as shipped: a stored file of this name counts, without one the shipped rules`, async () => {
    const before = (await confs.effective({}))[rules];
    await files.save(shipped, CONTENT);
    expect((await confs.effective({}))[rules]).toBe(CONTENT);
    await files.remove(shipped);
    expect((await confs.effective({}))[rules]).toBe(before);
  });
});

it('no two properties name the same rules, or the same file as shipped', () => {
  const [rules, shipped] = [
    ruleFilePairs.map((pair) => pair.rules),
    ruleFilePairs.map((pair) => propertyOf(pair.file)?.default),
  ];
  expect(new Set(rules).size).toBe(rules.length);
  expect(shipped.filter((name, at) => name !== '' && shipped.indexOf(name) !== at)).toEqual([]);
});
