import { expect, it } from 'vitest';
import { portRange } from '../../../src/core/address/port-range.js';

it.each([
  ['80', { from: 80, to: 80 }],
  ['0', { from: 0, to: 0 }],
  ['1-79', { from: 1, to: 79 }],
  ['65535-65535', { from: 65_535, to: 65_535 }],
])('the rule %s names ports', (rule, range) => {
  expect(portRange(rule)).toEqual(range);
});

it.each(['', ' ', '65536', '1-65536', '79-1', '-1', '1-', '1-2-3', '0x50', '8 0', '123456'])(
  'the rule "%s" names no port and is refused',
  (rule) => expect(portRange(rule)).toBeNull(),
);
