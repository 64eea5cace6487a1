import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, fits, matchablePath } from '../../../src/core/robots/path-pattern.js';
import { parseRobots } from '../../../src/core/robots/robots-file.js';
import { judge } from '../../../src/core/robots/robots-verdict.js';

const allows = (file: string, path: string, agent = 'orbweaver') => judge(parseRobots(file), [agent], path).allowed;

/**
 * A naive implementation of RFC 9309: octets one by one, `*` by trying every length. It shares no code with the matcher.
 */
describe('the matcher compared with a naive one (RFC 9309 §2.2.2, longest match)', () => {
  /** A path as single octets in canonical spelling; `star` and `end` for `*` and `$` of a pattern. */
  const octets = (text: string, isPattern: boolean): string[] => {
    const bytes =
      Buffer.from(text)
        .toString('latin1')
        .match(/%[\dA-Fa-f]{2}|[\s\S]/g) ?? [];
    let inQuery = false;
    return bytes.map((byte, at) => {
      if (isPattern && byte === '*') return 'star';
      if (isPattern && byte === '$' && at === bytes.length - 1) return 'end';
      const code = byte.length === 3 ? Number.parseInt(byte.slice(1), 16) : byte.charCodeAt(0);
      const char = String.fromCharCode(code);
      const isRaw = byte.length === 1;
      const stays = /[A-Za-z0-9\-._~]/.test(char) || (isRaw && /[!&'()+,/:;=?@#]/.test(char));
      const escaped = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
      const spelt = stays || (inQuery && /[:/?@]/.test(char)) ? char : escaped;
      inQuery ||= spelt === '?';
      return spelt;
    });
  };
  const matches = (pattern: readonly string[], path: readonly string[]): boolean => {
    const [first, ...rest] = pattern;
    if (first === undefined) return true;
    if (first === 'end') return path.length === 0;
    if (first === 'star') return path.some((_, at) => matches(rest, path.slice(at))) || matches(rest, []);
    return path[0] === first && matches(rest, path.slice(1));
  };
  /** A pattern without a `?` has no query to be compared with: the escapes of the path stay as they are. */
  const pathFor = (pattern: string, path: string) =>
    octets(pattern.includes('?') ? path : path.replaceAll('?', '\u0001'), false).map((octet) =>
      octet === '%01' ? '?' : octet,
    );
  const naive = (pattern: string, path: string) => matches(octets(pattern, true), pathFor(pattern, path));

  const piece = fc.constantFrom(
    'a',
    'b',
    '/',
    '.',
    '*',
    '$',
    '%61',
    '%2F',
    '%2a',
    '%24',
    '%',
    'ä',
    '%C3%a4',
    '<',
    '%3c',
    '?',
    ':',
    '%3A',
    '&',
    '%26',
    ' ',
    '|',
  );
  const text = (max: number) => fc.array(piece, { maxLength: max }).map((pieces) => `/${pieces.join('')}`);

  it('agrees whether one pattern matches a path', () => {
    fc.assert(
      fc.property(text(8), text(12), (pattern, path) => {
        expect(fits(compilePattern(Buffer.from(pattern).toString('latin1')), matchablePath(path))).toBe(
          naive(pattern, path),
        );
      }),
      { numRuns: 20_000 },
    );
  });

  it('agrees which of several rules wins', () => {
    const rule = fc.record({ allow: fc.boolean(), pattern: text(5).filter((pattern) => !pattern.includes(' ')) });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), text(8), (rules, path) => {
        const lines = rules.map(({ allow, pattern }) => `${allow ? 'allow' : 'disallow'}: ${pattern}`);
        const fitting = rules.filter(({ pattern }) => naive(pattern, path));
        const length = ({ pattern }: { pattern: string }) =>
          compilePattern(Buffer.from(pattern).toString('latin1')).length;
        const longest = Math.max(...fitting.map(length));
        const best = fitting.filter((one) => length(one) === longest);
        expect(allows(`user-agent: *\n${lines.join('\n')}`, path)).toBe(
          best.length === 0 || best.some(({ allow }) => allow),
        );
      }),
      { numRuns: 5_000 },
    );
  });
});
