/** A process that gives its capped process a task (default: one that never ends) and prints the id of that process. */
import { CappedProcess } from '../../dist/src/plugin/capped/capped-process.js';

const capped = new CappedProcess(new URL('./hard-tasks.mjs', import.meta.url));
const task = process.argv[2] ?? 'hang';
const work = capped.run(task, null, { seconds: 600, megabytes: 256 });
if (task !== 'hang') await work;
// A while after the start, so that the loop runs.
setTimeout(() => console.log(capped.pid), 300);
