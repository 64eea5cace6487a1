import { describe, it } from 'vitest';
import { expectSameContent } from './readability-oracle.js';

/** The main content of a page is the one that Readability finds in the same tree: more pages, made by chance. */

describe('the main content', () => {
  it.each(Array.from({ length: 36 }, (_, at) => 200 + at * 50))('of pages by chance from seed %i', expectSameContent);
});
