/**
 * Entry of a process for heavy requests: the application of the API without a port. Its only connection is the socket that it
 * inherits; its parent has already checked access.
 */
import 'reflect-metadata';
import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import type { Server } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { makeLog } from '../../conf/log.js';
import { entities } from '../../cycle/entities.js';
import { openDataSource } from '../../db/data-source.js';
import { watch } from '../../plugin/capped/watch.js';
import { startPlugins } from '../../plugin/external.js';
import type { Principal } from '../access/api-keys.js';
import { actAs } from '../access/access.js';
import { bareApp, createProviders } from '../server.js';
import { MEMORY_HEADER, type HeavyStart, NO_DATABASE, PRINCIPAL_HEADER, SOCKET_FD } from './heavy-process.js';
import { HEAVY_CONNECTIONS } from './heavy-processes.js';
import { HeavyWork } from './heavy-work.js';
import { REQUEST_TIMEOUTS } from '../database.js';

// When all cores are busy, light requests of the API take precedence.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
watch(Number(process.argv[2]), Number(process.argv[3]));
process.on('disconnect', () => process.exit());
// Ctrl-C of a terminal signals all of its processes; the API lets running requests end first.
process.on('SIGINT', () => undefined);
process.once('message', (start: HeavyStart) => void begin(start));

async function begin(start: HeavyStart): Promise<void> {
  const log = makeLog('api', { level: start.logLevel, about: { heavy: true } });
  await startPlugins(start.pluginDir, (line) => log.warn(line));
  const dataSource = await openDataSource(start.databaseUrl, {
    max: HEAVY_CONNECTIONS,
    entities,
    name: 'orbweaver-heavy',
    patience: 'request',
    ...REQUEST_TIMEOUTS,
  }).catch(() => process.exit(NO_DATABASE));
  // The API itself waits until a worker has claimed the job.
  const { overlay } = start;
  const { providers } = await createProviders(
    { dataSource, env: start, overlay, isChecked: true, claimWaitMs: 0 },
    new HeavyWork(undefined),
  );
  providers.server.port = start.port;
  const app = await bareApp(providers, log);
  app.use(asPrincipal);
  await app.init();
  const server = app.getHttpServer() as Server;
  // The process ends with its parent, so its connection has no timeouts.
  Object.assign(server, { timeout: 0, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.emit('connection', new Socket({ fd: SOCKET_FD, readable: true, writable: true }));
  process.send?.('ready');
}

/** Sets the principal that the parent authenticated, and reports the current memory of the process. */
function asPrincipal(request: Request, response: Response, next: NextFunction): void {
  actAs(request, JSON.parse(decodeURIComponent(String(request.headers[PRINCIPAL_HEADER]))) as Principal);
  response.setHeader('X-Request-Id', String(request.headers['x-request-id']));
  response.setHeader(MEMORY_HEADER, process.memoryUsage.rss());
  next();
}
