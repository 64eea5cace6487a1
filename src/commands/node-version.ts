/** Imported before anything else, so it must run on any Node that supports modules. */

/** Node versions below this one lack features that our dependencies use. */
const NEEDED: readonly [major: number, minor: number] = [22, 15];

/** The message for the user of a Node that is too old; undefined if it is new enough. */
export function nodeComplaint(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `Node ${version} is too old: Orbweaver needs Node ${NEEDED.join('.')} or newer (npm start and npx node use the one that npm ci installs)`;
}
