import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { readEvents, readLines, type ServerEvent } from '../../clients/typescript/src/event-stream.js';
import { Orbweaver } from '../../clients/typescript/src/orbweaver.js';
import { type Handler, page, type Site, startSite } from '../support/site.js';

/** Server-sent events (HTML, 9.2) and JSON lines: whole, split at any byte, and resumed. */

let site: Site | undefined;
afterEach(() => site?.close());

async function* chunksOf(text: string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index += 1) yield bytes.subarray(places[index - 1], places[index]);
}

async function gathered<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const eventsIn = (text: string, cuts?: readonly number[]): Promise<ServerEvent[]> =>
  gathered(readEvents(chunksOf(text, cuts)));

describe('readEvents', () => {
  it.each<[string, string, ServerEvent[]]>([
    ['joins data lines', 'data: a\ndata: b\n\n', [{ id: '', event: 'message', data: 'a\nb' }]],
    [
      'drops one space after the colon',
      'data:  a\n\ndata:b\n\n',
      [
        { id: '', event: 'message', data: ' a' },
        { id: '', event: 'message', data: 'b' },
      ],
    ],
    ['ignores comments and unknown fields', ': beat\nfoo: x\ndata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
    [
      'keeps an id for the next events',
      'id: 7\ndata: a\n\ndata: b\n\n',
      [
        { id: '7', event: 'message', data: 'a' },
        { id: '7', event: 'message', data: 'b' },
      ],
    ],
    ['ignores an id with NUL', 'id: 7\nid: a\0b\ndata: a\n\n', [{ id: '7', event: 'message', data: 'a' }]],
    [
      'resets the event name after each event',
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        { id: '', event: 'x', data: 'a' },
        { id: '', event: 'message', data: 'b' },
      ],
    ],
    ['drops an event without data', 'event: x\n\n', []],
    ['drops an unfinished event', 'data: a\n\ndata: b\n', [{ id: '', event: 'message', data: 'a' }]],
    [
      'accepts CR, LF and CRLF as line ends',
      'data: a\r\rdata: b\r\n\r\ndata: c\n\n',
      ['a', 'b', 'c'].map((data) => ({ id: '', event: 'message', data })),
    ],
    ['reads a field without a colon as empty', 'data\n\n', [{ id: '', event: 'message', data: '' }]],
  ])('%s (9.2.6)', async (_, text, wanted) => {
    expect(await eventsIn(text)).toEqual(wanted);
  });

  it('returns the same events for any split into chunks', async () => {
    const text = 'id: 1\r\nevent: ü\r\ndata: a\r\n\r\ndata: 漢字\r\ndata\r\n\r\n';
    const whole = await eventsIn(text);
    expect(whole).toHaveLength(2);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 8 }), async (cuts) => {
        expect(await eventsIn(text, cuts)).toEqual(whole);
      }),
    );
  });

  it('keeps the empty line after a CRLF that two chunks share', async () => {
    const text = 'data: a\r\n\ndata: b\n\n';
    expect(await eventsIn(text, [8, 9])).toEqual(await eventsIn(text));
  });

  it('throws RangeError for a line above the limit', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(65_536, 'x');
    }
    await expect(readLines(endless(), 1_000_000).next()).rejects.toThrow(RangeError);
  });
});

const sse = (text: string, more: Record<string, string> = {}) =>
  page(text, { 'content-type': 'text/event-stream', ...more });

/** Sends `text` and closes the connection. */
const cut =
  (text: string): Handler =>
  (_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(text, () => res.destroy());
  };

/** The first handler gets the first request, and so on; the last gets the rest. */
function inTurn(...handlers: Handler[]): Handler {
  let turn = 0;
  return (req, res) => handlers[Math.min(turn++, handlers.length - 1)]?.(req, res);
}

const event = (id: number, text: string) =>
  `id: ${id}\nevent: progress\ndata: {"jobId":"k1","data":{"text":"${text}"}}\n\n`;
const end = 'event: end\ndata: {"jobId":"k1","state":"FINISHED"}\n\n';

async function events(handler: Handler, options: { attempts?: number; lastEventId?: string } = {}): Promise<string[]> {
  site = await startSite({ '/v1/jobs/k1/events': handler });
  const all = await gathered(new Orbweaver(site.url).events('k1', options));
  return all.map(({ id, kind, data }) => `${id}:${kind}:${String(data['text'] ?? data['state'])}`);
}
const asked = () => site?.log.map(({ headers }) => headers['last-event-id']);

describe('events(id)', () => {
  it('returns the events up to the event `end`', async () => {
    const text = event(1, 'a') + event(2, 'b') + end;
    expect(await events(sse(text))).toEqual(['1:progress:a', '2:progress:b', '2:end:FINISHED']);
    expect(asked()).toEqual([undefined]);
  });

  it.each<[string, (text: string) => Handler]>([
    ['a broken connection', cut],
    ['a regular end without the event `end`', sse],
  ])('resumes after the last complete event after %s, without loss or repetition', async (_, breaking) => {
    const handler = inTurn(
      breaking(`retry: 1\n\n${event(1, 'a')}${event(2, 'b')}id: 3\ndata: {"ha`),
      breaking('retry: 1\n\n'),
      sse(event(3, 'c') + end),
    );
    expect(await events(handler)).toEqual(['1:progress:a', '2:progress:b', '3:progress:c', '3:end:FINISHED']);
    expect(asked()).toEqual([undefined, '2', '2']);
  });

  it('starts after lastEventId', async () => {
    await events(sse(event(9, 'z') + end), { lastEventId: '8' });
    expect(asked()).toEqual(['8']);
  });

  it('throws OrbweaverUnreachable after `attempts` connections without an event', async () => {
    await expect(events(cut('retry: 1\n\n'), { attempts: 3 })).rejects.toMatchObject({ name: 'OrbweaverUnreachable' });
    expect(asked()).toHaveLength(3);
  });

  it.each([429, 502, 503, 504])(
    'tries again after %i: too much to do, or a proxy whose server is away',
    async (status) => {
      const refusal = page('<h1>Bad gateway</h1>', { 'content-type': 'text/html' }, status);
      expect(await events(inTurn(cut('retry: 1\n\n'), refusal, sse(event(1, 'a') + end)))).toHaveLength(2);
    },
  );

  it('throws a refusal without another attempt', async () => {
    await expect(events(page('{"code":"JOB_UNKNOWN"}', {}, 404))).rejects.toMatchObject({ code: 'JOB_UNKNOWN' });
    expect(asked()).toHaveLength(1);
  });

  it('throws the reason of the aborted signal', async () => {
    const abort = new AbortController();
    site = await startSite((_, res) => void res.writeHead(200).write(event(1, 'a')));
    const seen: string[] = [];
    const reading = async () => {
      for await (const { id } of new Orbweaver(site?.url ?? '').events('k1', { signal: abort.signal })) {
        seen.push(id);
        abort.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    expect(seen).toEqual(['1']);
  });
});

describe('pages(query)', () => {
  it('returns one value per line, and closes the connection when the reader stops', async () => {
    let closed = false;
    site = await startSite({
      '/v1/pages': (_, res) => {
        res.writeHead(200, { 'content-type': 'application/x-ndjson' });
        const timer = setInterval(() => res.write('{"url":"http://a/"}\n'), 1);
        res.on('close', () => {
          clearInterval(timer);
          closed = true;
        });
      },
    });
    const seen: unknown[] = [];
    for await (const row of new Orbweaver(site.url).pages({ crawlId: 'k1' })) {
      seen.push(row);
      if (seen.length === 5) break;
    }
    expect(seen).toEqual(Array.from({ length: 5 }, () => ({ url: 'http://a/' })));
    await expect.poll(() => closed).toBe(true);
    expect(site.log[0]).toMatchObject({
      path: '/v1/pages?limit=all&crawlId=k1',
      headers: { accept: 'application/x-ndjson' },
    });
  });
});
