import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts an embedded PostgreSQL that another process owns, which can be killed. */
export async function startOwner(dataDir: string): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'embedded-owner.mjs');
  const owner = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    owner.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('url: ')) resolve();
    });
    owner.once('exit', () => reject(new Error(`the owner ended: ${output}`)));
  });
  return owner;
}
