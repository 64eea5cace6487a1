/**
 * Server-sent events (HTML §9.2.6 "Interpreting an event stream"): lines of UTF-8 text, an event ends at an empty
 * line. Bounded: an event larger than the limit ends the stream with an error instead of filling the memory.
 */

/** One event. */
export interface ServerEvent {
  /** The last id that the stream gave; empty before the first. */
  readonly id: string;
  /** The event's name; `message` when it gave none. */
  readonly event: string;
  /** The data lines, joined with line feeds. */
  readonly data: string;
}

const MAX_EVENT_LENGTH = 4 * 1024 * 1024;

/** Where a stream stands between two events. */
export interface StreamState {
  id: string;
  /** Milliseconds that the server wants a client to wait before it connects again. */
  retry: number | undefined;
}

/** Reads events from chunks of bytes; `state` is kept up to date for a later connection. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  state: StreamState = { id: '', retry: undefined },
): AsyncGenerator<ServerEvent> {
  // An id counts with the empty line behind it: that of an event that was cut off must come again.
  let id = state.id;
  let event = '';
  let data: string[] = [];
  let size = 0;
  for await (const line of readLines(chunks, MAX_EVENT_LENGTH)) {
    if (line === '') {
      state.id = id;
      if (data.length > 0) yield { id: state.id, event: event || 'message', data: data.join('\n') };
      [event, data, size] = ['', [], 0];
      continue;
    }
    const [field, value] = fieldOf(line);
    size += line.length;
    if (size > MAX_EVENT_LENGTH) throw new RangeError(`an event of more than ${MAX_EVENT_LENGTH} characters`);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) state.retry = Number(value);
  }
}

function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

/** Lines of a UTF-8 stream, without their ends (LF, CRLF or CR). @throws RangeError for a line longer than `longest` */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  let afterReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    if (afterReturn && text.startsWith('\n')) text = text.slice(1);
    afterReturn = text.endsWith('\r');
    const [first = '', ...more] = text.split(/\r\n|\n|\r/);
    rest.push(first);
    length += first.length;
    for (const line of more) {
      yield rest.join('');
      [rest, length] = [[line], line.length];
    }
    if (length > longest) throw new RangeError(`a line of more than ${longest} characters`);
  }
  const last = rest.join('') + decoder.decode();
  if (last !== '') yield last;
}
