/** Says that a test has failed when it has, and not when its file or the run is over. */
import type { Reporter, TestCase } from 'vitest/node';

export class FailedNowReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    const [why = ''] = (errors[0]?.message ?? '').split('\n');
    console.log(`failed: ${test.module.relativeModuleId} > ${test.fullName}: ${why}`);
  }
}
