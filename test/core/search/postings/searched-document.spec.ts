import { describe, expect, it, vi } from 'vitest';
import type { FieldValue } from '../../../../src/core/indexing/index-document.js';
import { searchedDocument } from '../../../../src/core/search/postings/searched-document.js';

const searched = (fields: Record<string, FieldValue>) =>
  searchedDocument({
    id: 'test.site:http/',
    url: 'http://site.test/',
    boost: 1,
    fields: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
    fieldBoosts: new Map(),
  });

describe('a searched document', () => {
  it('has no half of a character where its title or a filter is cut', () => {
    const { title, language, types } = searched({
      title: `${'a'.repeat(299)}\u{1f6a2} ferry`,
      lang: `${'a'.repeat(127)}\u{1f6a2}`,
      type: `${'a'.repeat(127)}\u{1f6a2}`,
    });
    expect([title, language, ...types]).toEqual(['a'.repeat(299), 'a'.repeat(127), 'a'.repeat(127)]);
  });

  it.each([8.7e15, -8.7e15, 1e300])('has no time that no calendar has: %d', (time) => {
    const { fetchedAt, day } = searched({ tstamp: time });
    expect({ fetchedAt, day }).toEqual({ fetchedAt: null, day: null });
  });

  it.each([8.64e15, -8.64e15, 0])('has the time %d', (time) => {
    const { fetchedAt, day } = searched({ tstamp: time });
    expect({ fetchedAt, day }).toEqual({ fetchedAt: time, day: time / 86_400_000 });
  });

  it.each(['America/Sao_Paulo', 'Asia/Kathmandu'])('has the day of a date without a zone in UTC, in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    const days = ['2024-03-05T00:30:00', '2024-03-05 23:30'].map((date) => searched({ date }).day);
    vi.unstubAllEnvs();
    expect(days).toEqual([19_787, 19_787]);
  });
});
