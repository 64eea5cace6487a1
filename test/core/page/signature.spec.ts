import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/core/conf/properties.js';
import { hammingDistance, simHash } from '../../../src/core/page/simhash.js';
import { textProfile } from '../../../src/core/page/signature.js';
import { makeSignature } from '../../../src/plugin/chosen-by-class.js';
import { unicodeText } from '../../support/unicode-text.js';

const url = 'http://site.example/page';
const bytes = (text: string) => new TextEncoder().encode(text);
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const profileProps = {
  'db.signature.text_profile.min_token_len': 2,
  'db.signature.text_profile.quant_rate': 0.01,
  'db.signature.text_profile.sec_sort_lex': true,
};

describe('the signature of a page (db.signature.class)', () => {
  const input = { content: bytes('<p>same words same</p>'), url, text: 'same words same' };
  const sign = (name: string, changes: Partial<typeof input> = {}) =>
    makeSignature(parseConf({ 'db.signature.class': name }).conf)({ ...input, ...changes });

  it('MD5 hashes the content, or the URL of an empty page', () => {
    expect(sign('MD5Signature')).toBe(md5('<p>same words same</p>'));
    expect(sign('MD5Signature', { content: new Uint8Array() })).toBe(md5(url));
    expect(sign('MD5')).toBe(sign('MD5Signature'));
  });
  it('TextMD5 hashes the text, or falls back to MD5 without text', () => {
    expect(sign('org.apache.nutch.crawl.TextMD5Signature')).toBe(md5('same words same'));
    expect(sign('TextMD5Signature', { text: '' })).toBe(sign('MD5Signature'));
  });
  it('TextProfile hashes repeated words, or falls back to MD5 without any', () => {
    expect(textProfile('same words same', profileProps)).toBe('same 2');
    expect(sign('TextProfileSignature')).toBe(md5('same 2'));
    expect(sign('TextProfileSignature', { text: 'a b c' })).toBe(sign('MD5Signature'));
  });
  it('TextProfile sorts words of equal count alphabetically, or keeps their order (sec_sort_lex)', () => {
    expect(textProfile('zebra apple', profileProps)).toBe('apple 1\nzebra 1');
    const asTheyCome = { ...profileProps, 'db.signature.text_profile.sec_sort_lex': false };
    expect(textProfile('zebra apple', asTheyCome)).toBe('zebra 1\napple 1');
  });
  it('SimHash hashes the text, or falls back to the first half of MD5 without text', () => {
    expect(sign('SimHashSignature')).toBe(simHash('same words same'));
    expect(sign('SimHashSignature', { text: '' })).toBe(sign('MD5Signature').slice(0, 16));
  });
  it.each([
    ['MD5Signature', 32],
    ['TextMD5Signature', 32],
    ['org.apache.nutch.crawl.TextProfileSignature', 32],
    ['simhashsignature', 16],
  ])('of %s has %i hex digits', (name, digits) => {
    expect(sign(name)).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  });
  it('lists the known classes in the error about an unknown one', () => {
    expect(() => sign('org.example.Mine')).toThrow(/db.signature.class.*Mine.*MD5Signature, .*SimHashSignature/);
  });
});

describe('SimHash', () => {
  const words = Array.from({ length: 300 }, (_, i) => `word${(i * 7919) % 1009}`);
  const article = words.join(' ');

  it('differs in few of 64 bits for texts that differ in one word of 300', () => {
    const changed = [0, 150, 299].map((at) => simHash(words.with(at, 'other').join(' '))!);
    expect(changed.map((other) => hammingDistance(simHash(article)!, other))).toEqual([1, 1, 1]);
  });
  it('differs in many bits for texts without a common word', () => {
    const other = words.map((word) => `${word}x`).join(' ');
    expect(hammingDistance(simHash(article)!, simHash(other)!)).toBe(36);
  });
  it('depends on the order of words, not on case and punctuation', () => {
    expect(simHash('One, two. THREE!')).toBe(simHash('one two three'));
    expect(simHash('three two one')).not.toBe(simHash('one two three'));
  });
  it.each(['', ' .,!', '\u0000'])('is null for %j, which has no words', (text) => expect(simHash(text)).toBeNull());
  it('has 16 hex digits and distance 0 to itself for any text', () => {
    fc.assert(
      fc.property(unicodeText({ minLength: 1 }), (text) => {
        const hash = simHash(`a ${text}`)!;
        expect(hash).toMatch(/^[0-9a-f]{16}$/);
        expect(hammingDistance(hash, hash)).toBe(0);
      }),
    );
  });
  it('has the number of differing bits as distance', () => {
    expect(hammingDistance('0000000000000000', 'ffffffffffffffff')).toBe(64);
    expect(hammingDistance('8000000000000001', '0000000000000000')).toBe(2);
  });
});
