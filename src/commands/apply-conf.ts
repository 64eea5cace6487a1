import type { Orbweaver } from '../../clients/typescript/src/orbweaver.js';

const DEFAULT_AGENT = 'orbweaver';

/**
 * The configuration of a command: `default` if nothing was given and it has an agent name; else one of the id `configId`,
 * with the values of `default`, the given ones, and an agent name.
 * @returns the id
 */
export async function applyConf(
  client: Orbweaver,
  configId: string,
  properties: Readonly<Record<string, string>>,
): Promise<string> {
  const defaults = await client.config.read('default');
  const agent = defaults['http.agent.name'] ?? '';
  if (agent !== '' && Object.keys(properties).length === 0) return 'default';
  const params = { ...(agent === '' && { 'http.agent.name': DEFAULT_AGENT }), ...properties };
  await client.config.create({ configId, force: true, params });
  return configId;
}
