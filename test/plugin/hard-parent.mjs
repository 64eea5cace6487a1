/**
 * A process that gives its capped process a task (default: one that never ends) and prints the id of that process: after a
 * while, or at once where the second argument says so.
 */
import { CappedProcess } from '../../dist/src/plugin/capped/capped-process.js';

const capped = new CappedProcess(new URL('./hard-tasks.mjs', import.meta.url));
const task = process.argv[2] ?? 'hang';
const work = capped.run(task, null, { seconds: 600, megabytes: 256 });
if (task !== 'hang') await work;
// A while after the start the loop runs.
setTimeout(() => console.log(capped.pid), process.argv[3] === 'at once' ? 0 : 300);
