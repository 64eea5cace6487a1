import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeInjected, type InjectedRecord } from '../../../src/core/page/merge-injected.js';
import { parseSeedLine } from '../../../src/core/page/seed-line.js';
import { unicodeText } from '../../support/unicode-text.js';

describe('a seed line (Nutch Injector)', () => {
  it.each(['', '   ', '\t', '#http://e.com/', '  # note'])('is ignored when it is %j', (line) => {
    expect(parseSeedLine(line)).toBeNull();
  });

  it('contains score, interval and metadata after tabs', () => {
    expect(parseSeedLine('http://e.com/\tnutch.score=2.5\tnutch.fetchInterval=60\tlang=it\teq=a=b')).toEqual({
      url: 'http://e.com/',
      score: 2.5,
      fetchInterval: 60,
      metadata: { lang: 'it', eq: 'a=b' },
      sitemap: false,
      sitemaps: [],
    });
  });

  it.each(['abc', 'NaN', 'Infinity', '1e999', '', '1,5', '0x10'])('ignores the score %j', (score) => {
    expect(parseSeedLine(`http://e.com/\tnutch.score=${score}`)).not.toHaveProperty('score');
  });

  it.each([
    ['0', 0],
    ['.5', 0.5],
    ['-1', -1],
    ['1e3', 1000],
  ])('reads the score %j as %d', (text, score) => {
    expect(parseSeedLine(`http://e.com/\tnutch.score=${text}`)?.score).toBe(score);
  });

  it.each(['-1', '1.5', '2147483648', '99999999999999999999', 'x'])('ignores the interval %j', (text) => {
    const line = parseSeedLine(`http://e.com/\tnutch.fetchInterval=${text}\tnutch.fetchInterval.fixed=${text}`);
    expect(line).not.toHaveProperty('fetchInterval');
    expect(line).not.toHaveProperty('fixedInterval');
    expect(line?.metadata).toEqual({});
  });

  it('prefers the fixed interval and records it in the metadata', () => {
    const line = parseSeedLine('http://e.com/\tnutch.fetchInterval.fixed=3600\tnutch.fetchInterval=60');
    expect(line).toMatchObject({ fetchInterval: 3600, fixedInterval: 3600, metadata: { fixedInterval: '3600.0' } });
  });

  it('treats a space as part of the URL, as Nutch does', () => {
    expect(parseSeedLine('http://e.com/ nutch.score=10')?.url).toBe('http://e.com/ nutch.score=10');
  });

  it('keeps __proto__ and constructor as plain metadata keys', () => {
    const metadata = parseSeedLine('http://e.com/\t__proto__=x\tconstructor=y')?.metadata ?? {};
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('bounds metadata and replaces characters that PostgreSQL cannot store', () => {
    const many = Array.from({ length: 500 }, (_, i) => `k${i}=v`).join('\t');
    expect(Object.keys(parseSeedLine(`http://e.com/\t${many}`)?.metadata ?? {})).toHaveLength(100);
    expect(parseSeedLine('http://e.com/\tk=a\0b\ud800c')?.metadata).toEqual({ k: 'ab\ufffdc' });
    expect(parseSeedLine(`http://e.com/\tk=${'v'.repeat(5000)}`)?.metadata).toEqual({});
    expect(parseSeedLine(`http://e.com/\t${many}\tk0=again`)?.metadata['k0']).toBe('again');
  });

  it('names metadata beyond the bounds as ignored', () => {
    const ignored = (parts: string) => parseSeedLine(`http://e.com/\t${parts}`)?.ignored;
    expect(ignored('k=v')).toBeUndefined();
    expect(ignored(`k=${'v'.repeat(5000)}`)).toEqual([`k=${'v'.repeat(58)}… (a value has at most 4096 characters)`]);
    expect(ignored(`${'k'.repeat(300)}=v`)).toEqual([`${'k'.repeat(60)}… (a key has at most 256 characters)`]);
    const many = Array.from({ length: 101 }, (_, i) => `k${i}=v`).join('\t');
    expect(ignored(many)).toEqual(['k100=v (a page has at most 100 metadata)']);
  });

  it('names the sitemaps beyond the maximum as ignored', () => {
    const names = Array.from({ length: 102 }, (_, i) => `m${i}.xml`);
    const seed = parseSeedLine(`http://e.com/\tsitemaps:${names.join(' ')}`);
    expect(seed?.sitemaps).toEqual(names.slice(0, 100).map((name) => `http://e.com/${name}`));
    expect(seed?.ignored).toEqual(['m100.xml m101.xml (a seed names at most 100 sitemaps at once)']);
  });

  it('is a seed or null for any text, never an error', () => {
    fc.assert(
      fc.property(unicodeText(), (line) => {
        const parsed = parseSeedLine(line);
        expect(parsed === null || typeof parsed.url === 'string').toBe(true);
      }),
    );
  });
});

describe('a URL that is injected again (db.injector.overwrite, db.injector.update)', () => {
  const stored: InjectedRecord = { score: 3, fetchInterval: 100, metadata: { a: '1', b: '1' } };
  const defaults = { 'db.score.injected': 1, 'db.fetch.interval.default': 2_592_000 };
  const rules = (overwrite: boolean, update: boolean) => ({
    ...defaults,
    'db.injector.overwrite': overwrite,
    'db.injector.update': update,
  });
  const injected: InjectedRecord = { score: 7, fetchInterval: 2_592_000, metadata: { b: '2', c: '2' } };

  it('is inserted when it is new', () => {
    expect(mergeInjected(null, injected, rules(false, false))).toEqual({ action: 'insert', record: injected });
  });
  it('changes nothing by default', () => {
    expect(mergeInjected(stored, injected, rules(false, false))).toEqual({ action: 'keep', record: stored });
  });
  it.each([false, true])('replaces the record with db.injector.overwrite (update %s)', (update) => {
    expect(mergeInjected(stored, injected, rules(true, update))).toEqual({ action: 'replace', record: injected });
  });
  it('merges metadata, score and interval with update, but not values equal to the defaults', () => {
    expect(mergeInjected(stored, injected, rules(false, true))).toEqual({
      action: 'update',
      record: { score: 7, fetchInterval: 100, metadata: { a: '1', b: '2', c: '2' } },
    });
    expect(mergeInjected(stored, { score: 1, fetchInterval: 60, metadata: {} }, rules(false, true)).record).toEqual({
      score: 3,
      fetchInterval: 60,
      metadata: { a: '1', b: '1' },
    });
  });
});
