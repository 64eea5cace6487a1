/**
 * A process that runs a task (default: one that never ends) in its capped process and prints the id of that process: after
 * 300 ms, or at once when the second argument is `at once`.
 */
import { CappedProcess } from '../../dist/src/plugin/capped/capped-process.js';

const capped = new CappedProcess(new URL('./hard-tasks.mjs', import.meta.url));
const task = process.argv[2] ?? 'hang';
const work = capped.run(task, null, { seconds: 600, megabytes: 256 });
if (task !== 'hang') await work;
// 300 ms after the start the loop is running.
setTimeout(() => console.log(capped.pid), process.argv[3] === 'at once' ? 0 : 300);
