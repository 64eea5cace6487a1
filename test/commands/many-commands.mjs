/**
 * Child process of a spec: runs the commands that its parent sends ({ args, env }) one after the other, each as in a separate
 * program.
 */
import { runCommand } from '../../dist/src/commands/command-line.js';

let ended;
const written = { stdout: '', stderr: '' };
process.setMaxListeners(0);
for (const name of ['stdout', 'stderr']) {
  process[name].setMaxListeners(0);
  process[name].write = (text, done) => {
    written[name] += text;
    done?.();
    return true;
  };
}
process.exit = (code) => (ended ??= code);

process.on('message', async ({ args, env }) => {
  ended = undefined;
  Object.assign(written, { stdout: '', stderr: '' });
  await runCommand(args, { ...process.env, ...env });
  // A command exits after its last output.
  await new Promise(setImmediate);
  process.send({ code: ended ?? 0, ...written });
});
