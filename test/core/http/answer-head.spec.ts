import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { AnswerHead } from '../../../src/core/http/answer-head.js';

const ok = 'HTTP/1.1 200 OK\r\n';

/** What the parser gets of an answer that arrives in these chunks. */
function passed(...chunks: string[]): { text: string; head: AnswerHead } {
  const head = new AnswerHead();
  const parts = chunks.map((chunk) => head.read(Buffer.from(chunk, 'latin1'))?.toString('latin1') ?? '');
  return { text: parts.join(''), head };
}

describe('the header of an answer', () => {
  it.each([
    `${ok}Content-Length: 4\r\nX-A:\tb\xe9\r\nX-Empty:\r\n\r\nbody`,
    'HTTP/1.1 204\r\n\r\n',
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 4\r\n\r\nbody`,
    `${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-A : b\n\n`,
    'SSH-2.0-OpenSSH_9.2\r\n',
    '<html>bare text',
  ])('is passed on as it is: %j', (answer) => {
    const { text, head } = passed(answer);
    expect([text, head.isRewritten, head.isBody]).toEqual([answer, false, true]);
  });

  it.each([
    ['a 100 (RFC 9110 §15.2)', `HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n${ok}\r\nbody`, `${ok}\r\nbody`],
    ['a folded field (RFC 9112 §5.2)', `${ok}X-A: b;\r\n\t c\r\n\r\nbody`, `${ok}X-A: b; c\r\n\r\nbody`],
    ['a fold of no field (RFC 9112 §2.2)', `${ok} x: b\r\nX-A: b\r\n\r\n`, `${ok}X-A: b\r\n\r\n`],
    ['lines that end in LF (RFC 9112 §2.2)', 'HTTP/1.1 200 OK\nX-A: b\n\nbo\n\ndy', `${ok}X-A: b\r\n\r\nbo\n\ndy`],
    ['blanks before a colon (RFC 9112 §5.1)', `${ok}X-A \t: b\r\n\r\n`, `${ok}X-A: b\r\n\r\n`],
    ['a name with blanks', `${ok}X A: b\r\nX-B: c\r\n\r\n`, `${ok}X-B: c\r\n\r\n`],
    ['a line without a colon', `${ok}HTTP/1.0 200 OK\r\nX-B: c\r\n\r\n`, `${ok}X-B: c\r\n\r\n`],
    ['controls in a value (RFC 9110 §5.5)', `${ok}X-A: b\x01c\rd\x7f\r\n\r\n`, `${ok}X-A: b c d \r\n\r\n`],
    ['a colon after the status', 'HTTP/1.1 200: OK\r\n\r\n', `${ok}\r\n`],
    [
      'a length twice (RFC 9110 §8.6)',
      `${ok}Content-Length: 4\r\nX-A: b\r\nCONTENT-LENGTH:4\r\n\r\nbody`,
      `${ok}X-A: b\r\nContent-Length:4\r\n\r\nbody`,
    ],
    ['a list of one length', `${ok}Content-Length: 4, 4\r\n\r\nbody`, `${ok}Content-Length:4\r\n\r\nbody`],
  ])('is rewritten with %s', (_what, answer, expected) => {
    const { text, head } = passed(answer);
    expect([text, head.isRewritten]).toEqual([expected, true]);
  });

  it.each([
    ['lengths that differ (RFC 9112 §6.3)', `${ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\n`],
    ['NUL', `${ok}X-A: b\0\r\n\r\n`],
    ['a field without a name', `${ok}: b\r\n\r\n`],
  ])('still has %s, which the parser refuses', (_what, answer) => {
    expect(passed(answer).text.replaceAll(/ (?=\d|b)/g, '')).toBe(answer.replaceAll(/ (?=\d|b)/g, ''));
  });

  describe('and its chunks (RFC 9112 §7.1)', () => {
    const chunked = `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`;

    it.each([
      ['blanks after a size', 'a  \r\n0123456789\r\n0\r\n\r\n', 'a\r\n0123456789\r\n0\r\n\r\n'],
      ['blanks before an extension', '2 ;a="b"\r\nbo\r\n0\r\n\r\n', '2\r\nbo\r\n0\r\n\r\n'],
      ['lines that end in LF, and trailers', '2\n\n\n\n00\nX: y\n\nmore\n', '2\r\n\n\n\r\n00\r\n\r\nmore\n'],
      ['data longer than its size', '2 \r\nbody\r\n', '2\r\nbody\r\n'],
    ])('are rewritten with %s', (_what, body, expected) => {
      const { text, head } = passed(chunked + body);
      expect([text, head.isRewritten]).toEqual([chunked + expected, true]);
    });

    it.each(['2\r\nbo\r\n2 \r\ndy\r\n', '-1\r\n', '0x2\r\n', 'fffffffffffff\r\n', `2${' '.repeat(5_000)}`])(
      'are left to the parser: %j',
      (body) => {
        const { text, head } = passed(chunked + body);
        expect([text, head.isRewritten, head.isBody]).toEqual([chunked + body, false, true]);
      },
    );
  });

  it('tells HTTP/1.0 by the last section', () => {
    expect(passed('HTTP/1.0 200 OK\r\n\r\n').head.isHttp10).toBe(true);
    expect(passed(`HTTP/1.0 100 Continue\r\n\r\n${ok}\r\n`).head.isHttp10).toBe(false);
  });

  it('is passed on unread when it is longer than 16 KiB', () => {
    const long = `${ok}X A: ${'a'.repeat(20_000)}`;
    expect(passed(long).text).toBe(long);
  });

  it('that comes byte by byte is searched once: a server could keep us busy with its lines', () => {
    const head = new AnswerHead();
    const answer = Buffer.from(`${ok}${'X: a\r\n'.repeat(2_500)}`);
    const search = vi.spyOn(Buffer.prototype, 'indexOf');
    for (let at = 0; at < answer.length; at++) head.read(answer.subarray(at, at + 1));
    const { length: searches } = search.mock.calls;
    search.mockRestore();
    expect([head.isBody, searches < 3 * answer.length]).toEqual([false, true]);
  });

  it('is the same however it is divided into chunks', () => {
    const piece = fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 103 x',
      ':',
      ' ',
      'X',
      '\n',
      '\r',
      '\r\n\r\n',
      'content-length: 4',
      '\r\ntransfer-encoding: chunked\r\n\r\n',
      '2',
      '0 \r\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(60)), (pieces, cuts) => {
        const answer = `HTTP/1.1 ${pieces.join('')}`;
        const at = [0, ...cuts.map((cut) => Math.min(cut, answer.length)).sort((a, b) => a - b), answer.length];
        const chunks = at.slice(1).map((end, i) => answer.slice(at[i], end));
        expect(passed(...chunks).text).toBe(passed(answer).text);
      }),
      { numRuns: 2000 },
    );
  });
});
