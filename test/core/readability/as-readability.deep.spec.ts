import { describe, it } from 'vitest';
import { expectSameContent } from './readability-oracle.js';

/** The main content of a page is the one that Readability finds in the same tree: more random pages. */

describe('the main content', () => {
  it.each(Array.from({ length: 36 }, (_, at) => 200 + at * 50))(
    'is that of Readability for random pages from seed %i',
    expectSameContent,
  );
});
