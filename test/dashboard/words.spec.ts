import { describe, expect, it } from 'vitest';
import { brief, ruleWords } from '../../src/dashboard/words.js';

describe('brief', () => {
  it.each([
    ['a title of 200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['a longer one', 'x'.repeat(5_000), `${'x'.repeat(200)}…`],
    ['one with a flag at the cut', `${'x'.repeat(198)}🇩🇪 flag`, `${'x'.repeat(198)}…`],
    ['one that is a single character with many marks', `e${'\u0301'.repeat(900)}`, `e${'\u0301'.repeat(199)}…`],
  ])('shortens %s in whole characters', (_, title, shown) => {
    expect(brief(title)).toBe(shown);
  });
});

describe('ruleWords', () => {
  it.each([
    [{ number: 3, text: '-[?]' }, 'rule 3: -[?]'],
    [{ number: 0, text: 'urlfilter.tld.length=2' }, 'urlfilter.tld.length=2'],
  ])('shows %j as: %s', (rule, words) => {
    expect(ruleWords(rule)).toBe(words);
  });
});
