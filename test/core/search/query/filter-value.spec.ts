import { describe, expect, it } from 'vitest';
import { filterValue } from '../../../../src/core/search/query/filter-value.js';

describe('the value of a filter', () => {
  it.each([
    ['site', 'Example.ORG', 'example.org'],
    ['site', '.example.org.', 'example.org'],
    ['site', 'https://example.org:8080/path?q', 'example.org'],
    ['host', 'bücher.example', 'xn--bcher-kva.example'],
    ['host', '192.0.2.1', '192.0.2.1'],
    ['host', '[2001:DB8:0::1]', '[2001:db8::1]'],
    ['site', 'http://[2001:db8::1]:8080/path', '[2001:db8::1]'],
    ['host', '[2001', null],
    ['host', 'exa*', null],
    ['host', '/path', null],
    ['lang', 'DE', 'de'],
    ['lang', 'pt-BR', 'pt'],
    ['lang', 'deutsch', null],
    ['type', 'PDF', 'pdf'],
    ['type', 'text/HTML', 'text/html'],
    ['type', 'image/svg+xml', 'image/svg+xml'],
    ['type', '/', null],
    ['segment', '1700000000-Ab.c_1', '1700000000-Ab.c_1'],
    ['segment', 'a b', null],
  ] as const)('%s:%s is %s', (name, written, value) => {
    expect(filterValue(name, written)).toBe(value);
  });

  it.each([
    ['2024', '2024-01-01..2024-12-31'],
    ['2024-2', '2024-02-01..2024-02-29'],
    ['2023-02', '2023-02-01..2023-02-28'],
    ['2024-06-07', '2024-06-07..2024-06-07'],
    ['2024-01..2024-03', '2024-01-01..2024-03-31'],
    ['2024..', '2024-01-01..'],
    ['..2024', '..2024-12-31'],
    ['>2024', '2025-01-01..'],
    ['>=2024', '2024-01-01..'],
    ['<2024-03', '..2024-02-29'],
    ['<=2024-03-01', '..2024-03-01'],
    ['0001', '0001-01-01..0001-12-31'],
    ['0004-02', '0004-02-01..0004-02-29'],
  ])('date:%s is %s', (written, value) => {
    expect(filterValue('date', written)).toBe(value);
  });

  it.each([
    '',
    '..',
    '2024-13',
    '2024-02-30',
    '2024-00',
    '24',
    '0000',
    'today',
    '2024..2023',
    '1..2..3',
    '>',
    '2024-1-1-1',
    '<0001-01-01',
    '>9999',
  ])('date:%s is invalid', (written) => {
    expect(filterValue('date', written)).toBeNull();
  });
});
