import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { HttpSuccess } from '../../src/net/http-answer.js';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { withConformanceFolder } from '../support/left-out.js';
import * as site from '../support/site.js';
import { KIB, codeOf, get, getOk, raw, web, useClient } from './fetching.js';

useClient();

describe('malformed responses (Nutch http.bad-responses)', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const plain = (kib: number) => site.page('x'.repeat(kib * KIB));
  const gzipped = (kib: number) => site.page(gzipSync('x'.repeat(kib * KIB)), { 'content-encoding': 'gzip' });
  const served: Record<number, () => Promise<site.Site>> = {
    2: () => raw('HTTP/1.1 200: OK\r\nContent-Length: 1\r\n\r\nx'),
    3: () => raw('HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx'),
    4: () => raw(`${ok}Client-Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx`),
    5: () => web(site.badChunk(302, { Location: '/next' })),
    7: () => raw(`${ok}Set-Cookie: a=1;\r\n path=/\r\nContent-Length: 0\r\n\r\n`),
    8: () => raw(`${ok}${`X-A: ${'a'.repeat(10_240)}\r\n`.repeat(80)}\r\n`),
    9: () => web((_req, res) => (res.write('x'.repeat(40_960)), void res.end('x'.repeat(40_960)))),
    10: () => web(plain(63)),
    11: () => web(plain(64)),
    12: () => web(plain(65)),
    13: () => web(gzipped(63)),
    14: () => web(gzipped(65)),
    15: () => web(plain(128)),
    16: () => web(site.cutShort('fifteen bytes..', 50_000)),
  };
  // Where an answer of the first kind ends is uncertain (RFC 9112 §6.3). C9 of the threat list requires refusing HTTP/0.9.
  const refused: Record<number, string> = {
    1: 'a Content-Length that is no number',
    6: 'HTTP/0.9',
  };

  const cases = groupOf('http.bad-responses').cases;
  eachCase(cases.filter(({ n }) => n in served))('case $n: $case', async (each) => {
    const { url } = await (served[each.n] as () => Promise<site.Site>)();
    const keepPartial = each['http.partial.truncated'] === true;
    const answer = await get(url, { contentLimit: Number(each['http.content.limit'] ?? 1024 * KIB), keepPartial });
    if (each['error'] === true) {
      expect(answer.ok).toBe(false);
      return;
    }
    expect(codeOf(answer)).toBe(each['status'] ?? 200);
    const { headers, body, truncated } = answer as HttpSuccess;
    if (each['bytes'] !== undefined)
      expect([body.length, truncated || null]).toEqual([each['bytes'], each['truncated']]);
    if (each['location_kept'] === true) expect(headers['location']).toBe('/next');
    if (each['header_joined'] === true) expect(headers['set-cookie']).toBe('a=1; path=/');
  });

  it('case 17: a query without a path gets the root path', async () => {
    const { url, log } = await web(site.page(''));
    await getOk(`${url}?171`);
    expect(log[0]?.path).toBe('/?171');
  });

  it('every case is tested above or refused deliberately', withConformanceFolder, () => {
    const known = (n: number) => n in served || n in refused || n === 17;
    expect(cases.filter(({ n }) => !known(n))).toEqual([]);
  });

  it.each([
    ['1', `${ok}Content-Length: thousand\r\n\r\nx`],
    ['6', 'whole text'],
  ])('case %s fails as a protocol error', async (_n, bytes) => {
    const { url } = await raw(bytes);
    expect(codeOf(await get(url))).toBe('protocol');
  });
});
