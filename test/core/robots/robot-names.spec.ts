import { expect, it } from 'vitest';
import { robotNames } from '../../../src/core/robots/robot-names.js';

it('the names of a crawler are compared in lower case, without blanks, and empty ones address nobody', () => {
  const names = (name: string, ...others: string[]) =>
    robotNames({ 'http.agent.name': name, 'http.robots.agents': others });
  expect(names('MyBot', ' Other ', '', '*')).toEqual(['mybot', 'other', '*']);
  expect(names('')).toEqual([]);
  expect(names(' ')).toEqual([]);
});
