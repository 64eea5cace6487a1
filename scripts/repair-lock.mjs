/**
 * Removes names from package-lock.json that some packages list as optional platform packages, but that the registry does not
 * have: `npm ci` refuses a lock file with unresolved names, and `npm install` adds them again. Run it after `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const present = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)));
let removed = 0;
for (const entry of Object.values(lock.packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (present.has(name)) continue;
    delete entry.optionalDependencies[name];
    removed++;
  }
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${removed} missing optional packages taken out`);
