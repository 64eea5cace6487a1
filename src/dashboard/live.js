/**
 * Live updates: polls that stop while the tab is hidden, and event streams. Streams are read by fetch instead of EventSource,
 * which cannot send a key. A browser opens at most six connections to a server, so a view has at most one stream.
 */
import { NO_ANSWER, read, send } from './api.js';

/** Time without an answer after which a poll reports it, though the answer may still come. */
const LATE_MS = 10_000;
/** Time without a byte after which a stream is dead: the server sends a comment every 15 s. */
const SILENT_MS = 45_000;

/** Waits `ms` milliseconds, or until `signal` is aborted. */
function wait(ms, signal) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}

function untilVisible(signal) {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    document.addEventListener('visibilitychange', wake);
    signal.addEventListener('abort', wake);
    wake();
  });
}

/**
 * Calls `look` repeatedly, `ms` apart, never while the tab is hidden, and with a pause of at least three times its
 * duration, but at most 10 s after a failure, unless the server asks for a longer one (Retry-After).
 * Polling ends when `look` returns false; it returns 'quiet' if it has sent no request. A failure, or an answer that is late, is
 * told once, revoked (`tell('')`) by the next success, and does not end polling.
 */
export async function poll(look, { ms, signal, tell }) {
  let trouble = '';
  const report = (text) => text !== trouble && tell((trouble = text));
  while (!signal.aborted) {
    await untilVisible(signal);
    const begin = performance.now();
    let longest = Infinity;
    let shortest = ms;
    const late = setTimeout(report, LATE_MS, NO_ANSWER);
    try {
      const goesOn = await look();
      if (goesOn !== 'quiet') report('');
      if (goesOn === false) return;
    } catch (error) {
      if (error.name === 'AbortError') return;
      report(error.message);
      longest = LATE_MS;
      shortest = Math.max(ms, error.retryAfter ?? 0);
    } finally {
      clearTimeout(late);
    }
    const pause = Math.max(shortest, Math.min(longest, 3 * (performance.now() - begin)));
    await wait(pause, signal);
  }
}

/** The events of a stream (WHATWG HTML §9.2), as this server writes them: lines end in LF. */
async function* framesOf(response, resetTimeout) {
  let rest = '';
  for await (const text of chunksOf(response.body.pipeThrough(new TextDecoderStream()))) {
    resetTimeout();
    const frames = (rest + text).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const fields = new Map(
        frame.split('\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 2)]),
      );
      if (fields.has('data')) yield { name: fields.get('event'), data: JSON.parse(fields.get('data')) };
    }
  }
}

/** Not every browser supports asynchronous iteration of streams. */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
}

/**
 * A signal that is aborted with another one, when the tab is hidden, or SILENT_MS after the last `resetTimeout`: a connection may be dead
 * without having been closed. `end` removes its listeners.
 */
function whileVisible(signal) {
  const over = new AbortController();
  let silence = 0;
  const end = () => {
    clearTimeout(silence);
    over.abort();
  };
  const resetTimeout = () => {
    clearTimeout(silence);
    silence = setTimeout(end, SILENT_MS);
  };
  resetTimeout();
  document.addEventListener('visibilitychange', () => document.hidden && end(), { signal: over.signal });
  signal.addEventListener('abort', end, { signal: over.signal });
  return { signal: over.signal, resetTimeout, end };
}

/** The events of a stream after `last`, over one connection, up to `{ kind: 'end' }`. */
async function* eventsOf(path, last, { signal, resetTimeout }) {
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': last };
  const stream = await send('GET', path, { signal, headers, aside: true });
  for await (const { name, data } of framesOf(stream, resetTimeout)) {
    yield name === 'end' ? { kind: 'end', ...data } : data;
    if (name === 'end') return;
  }
}

/**
 * Follows a stream to its end, and reconnects after failures: `take` receives each event, and `{ kind: 'end' }` at the end. It
 * disconnects while the tab is hidden, because all tabs share the six connections.
 */
export async function follow(path, { after, signal, take }) {
  let last = after;
  for (let failures = 0; !signal.aborted; failures++) {
    await untilVisible(signal);
    if (signal.aborted) return;
    const looking = whileVisible(signal);
    let isOwnEnd = false;
    let event;
    let retryAfterMs = 0;
    try {
      for await (event of eventsOf(path, last, looking)) {
        failures = 0;
        last = event.id ?? last;
        take(event);
      }
      if (event?.kind === 'end') return;
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 429) return;
      isOwnEnd = looking.signal.aborted;
      retryAfterMs = error.retryAfter ?? 0;
    } finally {
      looking.end();
    }
    if (isOwnEnd) failures = -1;
    else await wait(Math.max(retryAfterMs, Math.min(10_000, 1_000 * 2 ** failures)), signal);
  }
}

const PAGE = 200;

/**
 * The last events of a log, oldest first, at most 200. A log can only be read forward, so its end is found by binary search:
 * some thirty short requests for a log of any length. With `kind` only those of this kind.
 */
export async function lastEvents(path, signal, kind) {
  const ofKind = kind === undefined ? '' : `&kind=${kind}`;
  const eventsAfter = (after, limit) => read(`${path}?after=${after}&limit=${limit}${ofKind}`, signal, { aside: true });
  let events = await eventsAfter(0, PAGE);
  if (events.length < PAGE) return events;
  let [low, high] = [Number(events.at(-1).id), Number(events.at(-1).id) * 2];
  while ((await eventsAfter(high, 1)).length > 0) [low, high] = [high, high * 2];
  for (;;) {
    const next = await eventsAfter(low, PAGE);
    if (next.length < PAGE) return next.length > 0 ? next : events;
    events = next;
    low = Number(events.at(-1).id);
    const middle = Math.floor((low + high) / 2);
    if ((await eventsAfter(middle, 1)).length > 0) low = middle;
    else high = middle;
  }
}
