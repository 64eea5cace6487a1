import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { propertyManual } from '../../src/conf/property-manual.js';

const manual = fileURLToPath(new URL('../../docs/properties.md', import.meta.url));

it('docs/properties.md is what the table of properties says (npm run openapi writes it)', async () => {
  const text = await format(propertyManual(), { ...(await resolveConfig(manual)), filepath: manual });
  await expect(text).toMatchFileSnapshot(manual);
});
