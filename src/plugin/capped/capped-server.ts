/** The side of the capped process: does one task after another until its parent lets it go. */
import type { CappedAnswer, CappedQuestion } from './capped-tasks.js';
import { watch } from './watch.js';

/** Loads what a task needs, when it is first asked for, and returns what does it. */
export type LoadTask = () => Promise<(input: never) => unknown>;

/** Resolves when the parent can read it, whatever this process does from then on. */
const send = (answer: CappedAnswer): Promise<void> =>
  new Promise((sent) => {
    process.send?.(answer, () => sent());
  });

/** Serves the parent of this process (arguments: megabytes that it may take, id of the parent). @param tasks by name */
export function serve(tasks: Readonly<Record<string, LoadTask>>): void {
  watch(Number(process.argv[2]), Number(process.argv[3]));
  process.on('disconnect', () => process.exit());
  // A package that forgets a promise of its own must not end the page that is being read.
  process.on('unhandledRejection', () => undefined);
  let last = Promise.resolve();
  process.on('message', (question: CappedQuestion) => {
    last = last
      .then(() => work(tasks, question))
      .then(
        (output) => send({ output }),
        (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
      );
  });
}

async function work(tasks: Readonly<Record<string, LoadTask>>, { task, input }: CappedQuestion): Promise<unknown> {
  const run = (await tasks[task]!()) as (input: unknown) => unknown;
  await send({ began: true });
  return run(input);
}
