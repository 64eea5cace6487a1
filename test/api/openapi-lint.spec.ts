/** Two linters check openapi.json with the rules that each of them recommends. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';

const source = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

describe('openapi.json passes', () => {
  it("Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(found.map(({ ruleId, message, location }) => [ruleId, location[0]?.pointer, message])).toEqual([]);
  });

  it("Spectral's recommended rules for OpenAPI", async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
    const found = await linter.run(JSON.parse(source) as Record<string, unknown>);
    expect(found.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([]);
  });
});
