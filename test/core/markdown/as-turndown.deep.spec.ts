import { describe, it } from 'vitest';
import { expectOddPagesAlike } from './turndown-oracle.js';

/** Markdown of an element is what Turndown makes of the same tree with our rules: more pages, made by chance. */

describe('Markdown', () => {
  it.each(Array.from({ length: 36 }, (_, at) => 200 + at * 50))('of pages by chance from seed %i', expectOddPagesAlike);
});
