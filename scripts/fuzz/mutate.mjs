/** Damages bytes with a seeded random number generator: the same seed does the same damage. */

/** Numbers from 0 to 2^32-1 (mulberry32). */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Maximum size of an input, bytes: larger ones only take more time. */
export const LARGEST = 262_144;

/** Tokens of the parsed formats, separated by `¦`. */
const WORDS = [
  '<¦>¦</¦/>¦<!--¦-->¦--!>¦<![CDATA[¦]]>¦<?xml encoding="¦<!DOCTYPE¦&#¦&amp;¦&#x110000;¦<script>¦</script>¦<base href=¦<a href="',
  '<title>¦<textarea>¦<style>¦<svg>¦<meta charset=¦<template>¦User-agent: ¦Disallow: ¦Allow: /¦Sitemap: ¦Crawl-delay: ¦*¦$¦%',
  '%2f¦%zz¦%00¦\0¦\ufeff¦\ufffd¦http://¦https://¦//¦?¦#¦/../¦/./¦@¦:¦[::1]¦xn--¦\t¦\r¦\n¦\r\n¦\u2028¦\ud83d¦<url><loc>',
  '</loc>¦<lastmod>¦<sitemapindex>¦<urlset>¦<item>¦<link>¦<entry>¦<rss>¦xmlns="¦<guid>¦1 0 obj¦endobj¦stream\n¦endstream¦<<¦>>',
  '/Length ¦/Kids [¦/Type /Page¦/FlateDecode¦xref¦trailer¦%%EOF¦"¦\'¦\\¦(¦)¦{¦}¦[¦]¦,¦;¦=¦+¦-¦|¦0¦9999999999¦-1¦1e999¦NaN¦e',
  'charset=utf-16¦charset=x¦Sun, 06 Nov 1994 08:49:37 GMT¦GMT¦noindex¦unavailable_after: ¦nutch.score=',
].flatMap((words) => words.split('¦').map((word) => Buffer.from(word)));

const slice = (bytes, next) => {
  const from = next() % (bytes.length + 1);
  return [from, Math.min(bytes.length, from + (next() % 64) + 1)];
};
const join = (...parts) => Buffer.concat(parts);

/** Ways to damage an input: (bytes, next, other) => bytes. */
const WAYS = [
  (bytes, next) => {
    const copy = Buffer.from(bytes);
    for (let n = (next() % 8) + 1; n > 0 && copy.length > 0; n--) copy[next() % copy.length] ^= 1 << (next() % 8);
    return copy;
  },
  (bytes, next) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy[next() % copy.length] = next() & 255;
    return copy;
  },
  (bytes, next) => {
    const [from, to] = slice(bytes, next);
    return join(bytes.subarray(0, from), bytes.subarray(to));
  },
  (bytes, next) => {
    const [from, to] = slice(bytes, next);
    return join(bytes.subarray(0, to), bytes.subarray(from));
  },
  (bytes, next) => {
    const at = next() % (bytes.length + 1);
    return join(bytes.subarray(0, at), WORDS[next() % WORDS.length], bytes.subarray(at));
  },
  (bytes, next) => bytes.subarray(0, next() % (bytes.length + 1)),
  (bytes, next, other) =>
    join(bytes.subarray(0, next() % (bytes.length + 1)), other.subarray(next() % (other.length + 1))),
  (bytes, next, other) => {
    const at = next() % (bytes.length + 1);
    const [from, to] = slice(other, next);
    return join(bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at));
  },
];

/** Repeats a piece many times, to find algorithms that are not linear. */
function repeated(bytes, next) {
  const [from, to] = slice(bytes, next);
  const piece = next() % 3 === 0 ? WORDS[next() % WORDS.length] : bytes.subarray(from, to);
  if (piece.length === 0) return bytes;
  const times = Math.floor(2 ** (next() % 19) / piece.length) + 1;
  return join(bytes.subarray(0, from), Buffer.alloc(times * piece.length, piece), bytes.subarray(from));
}

/** Damages `bytes` in one to six ways; `other` is what it may be spliced with. */
export function mutated(bytes, other, next) {
  let damaged = bytes;
  for (let n = (next() % 6) + 1; n > 0; n--) damaged = WAYS[next() % WAYS.length](damaged, next, other);
  if (next() % 8 === 0) damaged = repeated(damaged, next);
  return Buffer.from(damaged.subarray(0, LARGEST));
}
