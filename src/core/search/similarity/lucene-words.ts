import { type Explanation, explained } from '../score/explanation.js';

/** An explanation includes a boost if it is not 1. */
export const boostDetail = (boost: number): Explanation[] => (boost === 1 ? [] : [explained(boost, 'boost')]);
