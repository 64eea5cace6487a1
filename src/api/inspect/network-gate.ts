import { Injectable } from '@nestjs/common';
import { withOptions } from '../problem.js';
import { inspectBusy } from './inspect.problems.js';

const mostAtOnce = 8;

/** Lets few inspections ask other servers at the same time: slow servers must not fill the API with waiting requests. */
@Injectable()
export class NetworkGate {
  private inside = 0;

  /** Runs `work`. Throws INSPECT_BUSY when enough others are at it. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.inside >= mostAtOnce) throw withOptions(inspectBusy(mostAtOnce), { headers: { 'Retry-After': '5' } });
    this.inside++;
    try {
      return await work();
    } finally {
      this.inside--;
    }
  }
}
