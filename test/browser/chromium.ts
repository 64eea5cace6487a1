import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

const { devDependencies } = createRequire(import.meta.url)('../../package.json');
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const UNPACK = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`;

/**
 * In a single process, the end of one page is the end of the browser. And nothing that is looked at needs a GPU: to act as one
 * takes more time than all pages do.
 */
const LEFT_OUT =
  /^--(?:single-process|in-process-gpu|use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|no-zygote)\b/;

/** Starts a real Chromium. */
export async function openBrowser(): Promise<Browser> {
  const args = [...chromium.args.filter((arg) => !LEFT_OUT.test(arg)), '--disable-gpu'];
  return playwright.launch({ args, executablePath: await chromiumPath() });
}

/**
 * The path of Chromium, unpacked once per checkout. The package unpacks it in place into the temporary folder of its process: a
 * second process, or one after an interrupted one, would start an incomplete file. So each process has
 * its own folder, which is renamed when it is complete.
 */
async function chromiumPath(): Promise<string> {
  const folder = `${CACHE}chromium-${devDependencies['@sparticuz/chromium']}`;
  if (!existsSync(folder)) {
    await mkdir(CACHE, { recursive: true });
    const making = await mkdtemp(`${folder}-`);
    const env = { ...process.env, TMPDIR: making };
    const cwd = dirname(fileURLToPath(import.meta.url));
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], { env, cwd });
    await rename(making, folder).catch(async (error: unknown) => {
      await rm(making, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    });
  }
  return join(folder, 'chromium');
}
