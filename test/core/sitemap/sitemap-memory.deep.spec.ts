import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parseSitemap } from '../../../src/core/sitemap/sitemap.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Bytes in use, on the heap and outside of it. */
async function used(): Promise<number> {
  // V8 keeps the last text that an expression matched, and Node frees zlib's memory one event-loop turn later.
  /x/.test('x');
  collect();
  await sleep(20);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MIB = 1_048_576;
const url = 'http://site.test/sitemap.xml';
const images = '<image:image><image:loc>http://site.test/image-of-some-length.png</image:loc></image:image>';
const entry = (i: number, inside: string): string => `<url><loc>${url}/${i}</loc>${inside}</url>\n`;
const list = (inside: string): string =>
  `<urlset>${Array.from({ length: 100 }, (_, i) => entry(i, inside)).join('')}<url><loc>ftp:${'x'.repeat(100)}</loc></url></urlset>`;

it.each([
  ['XML', list(`<!--${' '.repeat(MIB / 10)}-->`)],
  ['XML with images', list(images.repeat(900))],
  ['lines', Array.from({ length: 100 }, (_, i) => `${url}/${i}\n#${' '.repeat(MIB / 10)}\nno URL of ours`).join('\n')],
])('a parsed sitemap does not retain the text of its document: %s', async (_, text) => {
  const body = gzipSync(text);
  const before = await used();
  const kept = Array.from({ length: 4 }, () => parseSitemap(body, { url, extensions: false }));
  expect((await used()) - before).toBeLessThan(2 * MIB);
  expect(kept[0]).toMatchObject({ entries: { length: 100 }, errors: [{ reason: 'invalid-loc' }] });
  expect(kept[0]!.entries[0]).toMatchObject({ images: [], alternates: [] });
});
