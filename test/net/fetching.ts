import { afterAll, afterEach, beforeAll } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import type { HttpAnswer, HttpSuccess } from '../../src/net/http-answer.js';
import { DEFAULT_FETCH_LIMITS, HttpClient, type FetchLimits } from '../../src/net/http-client.js';
import * as site from '../support/site.js';

/** A client with an open guard, and sites that are closed after each test. A spec file calls `useClient()`. */

export const KIB = 1024;
export let client: HttpClient;
export const opened: site.Site[] = [];

export async function web(handlers: Parameters<typeof site.startSite>[0]): Promise<site.Site> {
  const started = await site.startSite(handlers);
  opened.push(started);
  return started;
}

/** Answers every connection with these bytes; `stay` leaves the socket open. */
export async function raw(bytes: string | Buffer, stay = false): Promise<site.Site> {
  const started = await site.startRawSite((socket) => (stay ? socket.write(bytes) : socket.end(bytes)));
  opened.push(started);
  return started;
}

export const get = (url: string, limits: Partial<FetchLimits> = {}, headers = {}): Promise<HttpAnswer> =>
  client.fetch({ url, headers }, { ...DEFAULT_FETCH_LIMITS, ...limits });

export async function getOk(url: string, limits: Partial<FetchLimits> = {}): Promise<HttpSuccess> {
  const answer = await get(url, limits);
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

export const codeOf = (answer: HttpAnswer) => (answer.ok ? answer.status : answer.code);

export function useClient(): void {
  beforeAll(() => {
    client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(() => client.close());
}
