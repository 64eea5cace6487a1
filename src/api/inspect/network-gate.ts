import { Injectable } from '@nestjs/common';
import { ClientSemaphore } from '../access/client-semaphore.js';
import { inspectBusy } from './inspect.problems.js';

export const inspectRefusal = { problem: inspectBusy, retryAfterSeconds: 5 };

/** Lets few inspections ask other servers at the same time: slow servers must not fill the API with waiting requests. */
@Injectable()
export class NetworkGate extends ClientSemaphore {
  constructor() {
    super({ atOnce: 8, max: 8, maxPerKey: 4, reserved: 2 }, inspectRefusal);
  }
}
