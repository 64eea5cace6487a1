import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { getOk, useClient } from './fetching.js';

useClient();

describe('the synthetic web', () => {
  let synthetic: SyntheticWeb;
  beforeAll(async () => {
    synthetic = await startSyntheticWeb({ hosts: 2, pages: 60, errors: 0 });
  });
  afterAll(() => synthetic.close());

  it('is fetched byte for byte, as its own list of digests states', async () => {
    const rows = await synthetic.truth();
    expect(rows.length).toBeGreaterThan(100);
    for (const { url, status, md5 } of rows) {
      const answer = await getOk(url);
      expect(answer.status).toBe(status);
      if (md5 && md5 !== '-') expect(createHash('md5').update(answer.body).digest('hex')).toBe(md5);
    }
  });
});
