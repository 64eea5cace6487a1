import { appendFileSync } from 'node:fs';

/** Replaces a worker: writes a note at its start and fails at once, or runs until it gets the stop message. */
appendFileSync(
  process.env.NOTES,
  `${process.pid} ${process.env.API_KEYS ?? process.env.RESTAPI_AUTH_USERS ?? '-'} ${process.env.WORKERS}\n`,
);
if (process.env.BEHAVIOUR === 'fails') process.exit(3);
if (process.env.BEHAVIOUR !== 'ignores-stop') process.on('message', (message) => message === 'stop' && process.exit(0));
process.on('disconnect', () => process.exit(0));
setInterval(() => undefined, 1_000);
