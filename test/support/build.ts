import { execFile } from 'node:child_process';
import { glob, stat, utimes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Written by the compiler with each build. */
const BUILT = `${ROOT}dist/.tsbuildinfo`;

/**
 * Builds the program where a source is newer than what was built, so that no test runs an old one; and its packages where they
 * are others.
 */
export async function buildIfOld(): Promise<void> {
  if (await isOld()) {
    await run('node_modules/@nestjs/cli/bin/nest.js', 'build');
    // The compiler leaves it alone where only the time of a source is new.
    await utimes(BUILT, new Date(), new Date());
  }
  await Promise.all([run('scripts/bundle-dependencies.mjs'), run('scripts/bundle-program.mjs')]);
}

async function isOld(): Promise<boolean> {
  const built = await timeOf(BUILT);
  for await (const source of glob(['tsconfig.json', '{src,migrations,clients/typescript/src}/**/*'], { cwd: ROOT })) {
    if ((await timeOf(ROOT + source)) > built) return true;
  }
  return false;
}

const run = (program: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [ROOT + program, ...args], { cwd: ROOT }).catch(({ stdout, stderr }) => {
    throw new Error(`${program}:\n${stdout}${stderr}`);
  });

const timeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
