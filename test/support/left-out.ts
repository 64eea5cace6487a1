/** Tests that cannot run everywhere: why they are left out, and the line at the end of a run that says so. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { CONFORMANCE_MISSING as MISSING, hasConformance } from './conformance.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test was left out. */
    leftOut?: string;
  }
}

/** Options for `describe` and `it`: without `there` the tests are skipped, and the run says at its end that `reason` was why. */
export const onlyWhere = (there: boolean, reason: string): { skip?: boolean; meta?: { leftOut: string } } =>
  there ? {} : { skip: true, meta: { leftOut: reason } };

/** Options for what reads the cases of other projects. */
export const withConformanceFolder = onlyWhere(hasConformance, MISSING);

/** Where changes are judged nothing may be left out for lack of the cases. */
export function refuseWithoutConformance(): void {
  if (process.env['CI'] && withConformanceFolder.skip) throw new Error(`CI needs the cases of others: ${MISSING}`);
}

const reasonOf = (test: TestCase): string | undefined => {
  const result = test.result();
  return test.meta().leftOut ?? (result.state === 'skipped' ? result.note : undefined);
};

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

/** The line for tests that were skipped, or undefined when none was. */
function lineOf(skipped: readonly TestCase[]): string | undefined {
  if (skipped.length === 0) return undefined;
  const files = new Set(skipped.map(({ module }) => module.moduleId));
  const reasons = Map.groupBy(skipped, (test) => reasonOf(test) ?? 'no reason is given');
  const parts = [...reasons].map(([reason, tests]) => `${tests.length}: ${reason}`);
  return `left out: ${counted(skipped.length, 'test')} of ${counted(files.size, 'file')}; ${parts.join('; ')}`;
}

/** Prints that line. Whoever chooses tests by name knows that the rest is left out. */
export class LeftOutReporter implements Reporter {
  private chosen = false;

  onInit({ config }: Vitest): void {
    this.chosen = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const line = this.chosen ? undefined : lineOf(skipped);
    if (line !== undefined) console.log(line);
  }
}
