import { describe, it } from 'vitest';
import { expectOddPagesAlike } from './turndown-oracle.js';

/** Markdown of an element equals that of Turndown for the same tree with our rules: more random pages. */

describe('Markdown', () => {
  it.each(Array.from({ length: 36 }, (_, at) => 200 + at * 50))(
    'equals that of Turndown for random pages from seed %i',
    expectOddPagesAlike,
  );
});
