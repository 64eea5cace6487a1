import { expect, it } from 'vitest';
import { readHostLines } from '../../../src/core/page/host-lines.js';

it('reads lines of one host in time that grows with their number', () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}`);
  const { hosts } = readHostLines(keys.map((key) => `site.test\t${key}=1`).join('\n'));
  expect(hosts).toEqual([{ host: 'test.site', metadata: Object.fromEntries(keys.map((key) => [key, '1'])) }]);
});
