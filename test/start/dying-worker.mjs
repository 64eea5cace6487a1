import { appendFileSync } from 'node:fs';

/** Stands in for a worker: notes its start and dies at once, or lives until it is told to stop. */
appendFileSync(
  process.env.NOTES,
  `${process.pid} ${process.env.API_KEYS ?? process.env.RESTAPI_AUTH_USERS ?? '-'} ${process.env.WORKERS}\n`,
);
if (process.env.MOOD === 'dies') process.exit(3);
if (process.env.MOOD !== 'deaf') process.on('message', (message) => message === 'stop' && process.exit(0));
process.on('disconnect', () => process.exit(0));
setInterval(() => undefined, 1_000);
