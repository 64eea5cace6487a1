import { startEmbedded } from '../../dist/src/db/embedded/embedded.js';

/** A process that owns an embedded server until it is killed: prints its connection string when ready. */
const server = await startEmbedded({ dataDir: process.argv[2], log: (line) => console.log(`log: ${line}`) });
console.log(`url: ${server.url}`);
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
setInterval(() => undefined, 1_000);
