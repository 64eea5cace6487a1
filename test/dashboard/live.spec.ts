import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { read } from '../../src/dashboard/api.js';
import { follow, lastEvents, poll } from '../../src/dashboard/live.js';

/** Logs and streams as the dashboard reads them, with a stubbed fetch. */

const tab = Object.assign(new EventTarget(), { hidden: false });
const hide = (hidden: boolean) => {
  tab.hidden = hidden;
  tab.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(() => {
  vi.stubGlobal('document', tab);
  hide(false);
});
afterEach(() => vi.unstubAllGlobals());
const never = new AbortController().signal;

/** A log whose ids have gaps. */
function playLog(length: number): { asked: number } {
  const ids = Array.from({ length }, (_, n) => 7 + 3 * n);
  const server = { asked: 0 };
  vi.stubGlobal('fetch', (address: string) => {
    server.asked += 1;
    const query = new URL(address, 'http://server.test/').searchParams;
    const found = ids.filter((id) => id > Number(query.get('after'))).slice(0, Number(query.get('limit')));
    return Promise.resolve(Response.json(found.map((id) => ({ id: String(id) }))));
  });
  return server;
}

describe('lastEvents', () => {
  it.each([0, 1, 199, 200, 201, 999, 1_000, 100_000])(
    'finds the end of a log of %i events with fewer than 40 requests',
    async (length) => {
      const server = playLog(length);
      const events = await lastEvents('v1/jobs/j/events', never);
      expect(events.at(-1)?.id).toBe(length === 0 ? undefined : String(7 + 3 * (length - 1)));
      expect(events.length).toBeLessThanOrEqual(200);
      expect(server.asked).toBeLessThan(40);
    },
  );
});

/** Returns one stream after the other. */
function playStreams(...streams: string[][]): Headers[] {
  const asked: Headers[] = [];
  vi.stubGlobal('fetch', (_: string, { headers }: RequestInit) => {
    asked.push(new Headers(headers));
    const chunks = streams[asked.length - 1];
    if (chunks === undefined) return Promise.resolve(Response.json({ detail: 'gone' }, { status: 404 }));
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        for (const chunk of chunks) stream.enqueue(new TextEncoder().encode(chunk));
        stream.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  });
  return asked;
}

describe('follow', () => {
  it('reads events across chunks, resumes after the last event, and ends with `end`', async () => {
    vi.useFakeTimers();
    const asked = playStreams(
      [
        'retry: 1000\n\n',
        'id: 5\nevent: st',
        'ate\ndata: {"id":"5","kind":"state"}\n',
        '\n:\n\nid: 6\nevent: state\nda',
      ],
      ['id: 6\nevent: state\ndata: {"id":"6","kind":"state"}\n\nevent: end\ndata: {"state":"FINISHED"}\n\n'],
    );
    const taken: unknown[] = [];
    const done = follow('v1/jobs/j/events', { after: '4', signal: never, take: (event: unknown) => taken.push(event) });
    await vi.runAllTimersAsync();
    await done;
    vi.useRealTimers();
    expect(taken).toEqual([
      { id: '5', kind: 'state' },
      { id: '6', kind: 'state' },
      { kind: 'end', state: 'FINISHED' },
    ]);
    expect(asked.map((headers) => headers.get('last-event-id'))).toEqual(['4', '5']);
  });

  it('closes the stream while the tab is hidden, and resumes after the last event', async () => {
    const asked: { last: string | null; over: AbortSignal }[] = [];
    vi.stubGlobal('fetch', (_: string, { headers, signal }: { headers: HeadersInit; signal: AbortSignal }) => {
      asked.push({ last: new Headers(headers).get('last-event-id'), over: signal });
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          stream.enqueue(new TextEncoder().encode('id: 9\nevent: state\ndata: {"id":"9"}\n\n'));
          signal.addEventListener('abort', () => stream.error(signal.reason));
        },
      });
      return Promise.resolve(new Response(body));
    });
    const left = new AbortController();
    hide(true);
    const done = follow('v1/jobs/j/events', { after: '4', signal: left.signal, take: () => undefined });
    await new Promise(setImmediate);
    expect(asked).toEqual([]);
    hide(false);
    await expect.poll(() => asked).toHaveLength(1);
    await new Promise(setImmediate);
    hide(true);
    expect(asked[0]!.over.aborted).toBe(true);
    await new Promise(setImmediate);
    hide(false);
    await expect.poll(() => asked).toHaveLength(2);
    expect(asked.map(({ last }) => last)).toEqual(['4', '9']);
    expect(asked[1]!.over.aborted).toBe(false);
    left.abort();
    await done;
    expect(asked[1]!.over.aborted).toBe(true);
  });

  it('reconnects when the stream is silent for longer than three heartbeats take', async () => {
    vi.useFakeTimers();
    const asked: AbortSignal[] = [];
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
      asked.push(signal);
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          const beat = setInterval(() => stream.enqueue(new TextEncoder().encode(':\n\n')), 15_000);
          // From then on the connection is dead, though nobody has closed it.
          setTimeout(() => clearInterval(beat), 31_000);
          signal.addEventListener('abort', () => {
            clearInterval(beat);
            stream.error(signal.reason);
          });
        },
      });
      return Promise.resolve(new Response(body));
    });
    const left = new AbortController();
    const done = follow('v1/jobs/j/events', { after: '0', signal: left.signal, take: () => undefined });
    await vi.advanceTimersByTimeAsync(74_000);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, false]);
    left.abort();
    await vi.runAllTimersAsync();
    await done;
    vi.useRealTimers();
  });

  it('stops when the stream is refused', async () => {
    const asked = playStreams();
    await follow('v1/jobs/j/events', { after: '0', signal: never, take: () => undefined });
    expect(asked).toHaveLength(1);
  });
});

describe('poll', () => {
  /** Polls each second with the results of `looks`, one after the other, and returns the messages. */
  async function tellingsOf(...looks: (() => unknown)[]): Promise<string[]> {
    vi.useFakeTimers();
    const told: string[] = [];
    const look = () => Promise.resolve(looks.shift()?.() ?? false);
    const done = poll(look, { ms: 1_000, signal: never, tell: (text: string) => told.push(text) });
    await vi.runAllTimersAsync();
    await done;
    vi.useRealTimers();
    return told;
  }
  const fail = () => Promise.reject(new Error('no answer'));

  it('tells a failure once, and that it is over after the next success', async () => {
    expect(await tellingsOf(fail, fail, () => true)).toEqual(['no answer', '']);
  });

  it('takes a look that has asked nothing for no success', async () => {
    expect(await tellingsOf(fail, () => 'quiet', fail)).toEqual(['no answer', '']);
  });

  it('looks again at most 10 s after a failure, however long that took', async () => {
    const failLate = () => new Promise((_, reject) => setTimeout(reject, 30_000, new Error('no answer')));
    const began = Date.now();
    let seen = 0;
    await tellingsOf(failLate, () => (seen = Date.now()));
    expect(seen - began).toBeLessThanOrEqual(40_000);
  });

  it.each([429, 503])('waits after %i for as long as the server asks', async (status) => {
    vi.useFakeTimers({ now: 0 });
    const looked: number[] = [];
    const waits = ['25', '', '1', '86400'];
    vi.stubGlobal('fetch', () =>
      Promise.resolve(Response.json({}, { status, headers: { 'Retry-After': waits[looked.length - 1]! } })),
    );
    const look = () => looked.push(Date.now() / 1_000) <= waits.length && read('v1/crawls', never);
    const done = poll(look, { ms: 5_000, signal: never, tell: () => undefined });
    await vi.runAllTimersAsync();
    await done;
    vi.useRealTimers();
    expect(looked).toEqual([0, 25, 30, 35, 335]);
  });

  it('leaves no listener when the tab is shown again', async () => {
    vi.useFakeTimers();
    const left = new AbortController();
    const listening = new Set<unknown>();
    const add: EventTarget['addEventListener'] = (_, listener) => void listening.add(listener);
    const remove: EventTarget['removeEventListener'] = (_, listener) => void listening.delete(listener);
    for (const target of [tab, left.signal] as EventTarget[]) {
      vi.spyOn(target, 'addEventListener').mockImplementation(add);
      vi.spyOn(target, 'removeEventListener').mockImplementation(remove);
    }
    hide(true);
    let looks = 0;
    const done = poll(() => ++looks < 2, { ms: 1_000, signal: left.signal, tell: () => undefined });
    expect(listening.size).toBe(1);
    tab.hidden = false;
    for (const listener of listening) (listener as () => void)();
    await vi.runAllTimersAsync();
    await done;
    vi.restoreAllMocks();
    vi.useRealTimers();
    expect([looks, listening.size]).toEqual([2, 0]);
  });

  it('tells when an answer takes longer than 10 s, until it arrives', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 11_000, true));
    const quick = () => new Promise((resolve) => setTimeout(resolve, 9_000, true));
    expect(await tellingsOf(quick, slow, quick)).toEqual(['The server does not answer.', '']);
  });
});

describe('a request with an answer that is no JSON', () => {
  it.each([
    ['of a proxy', () => '<h1>Sign in to the network</h1>'],
    ['that is cut', () => '{"id":'],
  ])('fails: one %s', async (_, body) => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(body())));
    const asked = read('v1/crawls', never).catch((error: unknown) => error);
    expect(await asked).toMatchObject({ status: 0, message: 'The answer of the server is not complete.' });
  });
});

describe('a request without an answer', () => {
  it('fails after half a minute', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
      const { promise, reject } = Promise.withResolvers();
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      return promise;
    });
    const asked = read('v1/crawls', never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await asked).toMatchObject({ status: 0, message: 'The server does not answer.' });
    vi.useRealTimers();
  });
});
