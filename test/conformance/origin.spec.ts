import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceFolder, withConformanceFolder } from '../support/left-out.js';

/** The cases of other projects in `data` are those that were received: nobody has made one easier. */

const DATA = join(import.meta.dirname, 'data');
const files = readdirSync(DATA, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));

describe('the cases of others', withConformanceFolder, () => {
  it.each(files.sort())('%s is as it was received', (file) => {
    expect(readFileSync(join(DATA, file)).equals(readFileSync(join(conformanceFolder, file)))).toBe(true);
  });
});
