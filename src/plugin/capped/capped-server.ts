/** The server in the capped process: runs one task after another until its parent disconnects. */
import type { CappedAnswer, CappedQuestion } from './capped-tasks.js';
import { watch } from './watch.js';
import { errorMessage } from '../../core/error-message.js';

/** Loads the code of a task on first use, and returns the function that runs it. */
export type LoadTask = () => Promise<(input: never) => unknown>;

/** Resolves when the message is sent, so that the parent receives it even if this process dies. */
const send = (answer: CappedAnswer): Promise<void> =>
  new Promise((sent) => {
    process.send?.(answer, () => sent());
  });

/** Serves the parent process (arguments: memory cap in megabytes, id of the parent). @param tasks by name */
export function serveParent(tasks: Readonly<Record<string, LoadTask>>): void {
  watch(Number(process.argv[2]), Number(process.argv[3]));
  process.on('disconnect', () => process.exit());
  // An unhandled rejection in a package must not fail the current page.
  process.on('unhandledRejection', () => undefined);
  let last = Promise.resolve();
  process.on('message', (question: CappedQuestion) => {
    last = last
      .then(() => work(tasks, question))
      .then(
        (output) => send({ output }),
        (error: unknown) => send({ error: errorMessage(error) }),
      );
  });
}

async function work(tasks: Readonly<Record<string, LoadTask>>, { task, input }: CappedQuestion): Promise<unknown> {
  const run = (await tasks[task]!()) as (input: unknown) => unknown;
  await send({ began: true });
  return run(input);
}
