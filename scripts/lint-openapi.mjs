import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { report } from './source-files.mjs';

/** Two linters check a description of the API, openapi.json if none is named, with the rules that each of them recommends. */

const path = process.argv[2] ?? 'openapi.json';
const source = readFileSync(path, 'utf8');

async function redoclyComplaints() {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source, absoluteRef: path, config });
  return found.map(
    ({ ruleId, message, location }) => `${path}${location[0]?.pointer ?? ''}: ${message} (Redocly ${ruleId})`,
  );
}

async function spectralComplaints() {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const found = await linter.run(JSON.parse(source));
  return found.map(({ code, path: keys, message }) => `${path}#/${keys.join('/')}: ${message} (Spectral ${code})`);
}

report('openapi', [...(await redoclyComplaints()), ...(await spectralComplaints())]);
