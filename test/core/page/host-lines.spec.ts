import { expect, it } from 'vitest';
import { readHostLines } from '../../../src/core/page/host-lines.js';

it('reads lines of one host in time that grows with their number', () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}`);
  const { hosts } = readHostLines(keys.map((key) => `site.test\t${key}=1`).join('\n'));
  expect(hosts).toEqual([{ host: 'test.site', metadata: Object.fromEntries(keys.map((key) => [key, '1'])) }]);
});

it('counts the metadata that are left out, as they are too many or too long', () => {
  const parts = ['no value', `${'k'.repeat(257)}=v`, `k=${'v'.repeat(4_097)}`, 'a=1'];
  expect(readHostLines(`a.test\t${parts.join('\t')}`)).toEqual({
    hosts: [{ host: 'test.a', metadata: { a: '1' } }],
    refused: 0,
    leftOut: 2,
  });
  const many = Array.from({ length: 103 }, (_, n) => `k${n}=v`);
  expect(readHostLines(`a.test\t${many.join('\t')}`).leftOut).toBe(3);
});
