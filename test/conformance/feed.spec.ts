import { describe, expect } from 'vitest';
import { parseFeed } from '../../src/core/feed/feed.js';
import { decodeXml } from '../../src/core/html/charset.js';
import { suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

interface FeedCase {
  id: string;
  base64: string;
  where: 'feed' | 'entries[0]';
  field: 'id' | 'link' | 'title';
  expect: string;
}

describe('feedparser: well-formed RSS, RDF and Atom', () => {
  eachCase(suiteOf<FeedCase>('feed', 'feedparser'))('$id has the $field $expect', (one) => {
    const feed = parseFeed(decodeXml(Buffer.from(one.base64, 'base64'), null).text);
    const part = one.where === 'feed' ? feed : feed.entries[0];
    const value = one.field === 'title' ? part?.title?.value : part?.[one.field];
    expect(value).toBe(one.expect);
  });
});
