import type { Orbweaver } from '../../clients/typescript/src/orbweaver.js';

const USUAL_AGENT = 'orbweaver';

/**
 * The configuration of a command: `default` when nothing was given and it says who crawls; else one of the id `configId`,
 * with what `default` was changed in, what was given, and a name. A secret that the server does not show is left out.
 * @returns the id
 */
export async function layConf(
  client: Orbweaver,
  configId: string,
  given: Readonly<Record<string, string>>,
): Promise<string> {
  const usual = await client.config.read('default');
  const agent = usual['http.agent.name'] ?? '';
  if (agent !== '' && Object.keys(given).length === 0) return 'default';
  const create = (params: Record<string, unknown>) => client.config.create({ configId, force: true, params });
  await create({});
  const shipped = await client.config.read(configId);
  const changed = Object.entries(usual).filter(([name, value]) => value !== shipped[name] && !/^\*+$/.test(value));
  await create({ ...Object.fromEntries(changed), 'http.agent.name': agent || USUAL_AGENT, ...given });
  return configId;
}
