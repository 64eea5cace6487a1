import { expect, it } from 'vitest';
import { PageBudget, PageLimitError } from '../../../src/core/tree/page-budget.js';

it('a page may spend its steps and no more', () => {
  const budget = new PageBudget(10);
  budget.spend(4);
  budget.spend(6);
  budget.spend(0);
  expect(() => budget.spend(1)).toThrow(new PageLimitError('the page takes more steps than it may'));
});
