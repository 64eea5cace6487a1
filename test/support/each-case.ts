import { it } from 'vitest';
import { withConformanceFolder } from './left-out.js';

const oneLeftOut = () => (name: string) => it(name, withConformanceFolder, () => undefined);

/** `it.each` for cases of other projects. Where their folder is missing, one test that is skipped stands for the table. */
export const eachCase = (withConformanceFolder.skip ? oneLeftOut : it.each.bind(it)) as typeof it.each;
