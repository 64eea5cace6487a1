/** The version of this program. */
import { readFileSync } from 'node:fs';

/** As in package.json, which is above the sources and above the built program alike. */
export function programVersion(): string {
  for (const up of ['../../', '../../../']) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // The other folder.
    }
  }
  return 'unknown';
}
