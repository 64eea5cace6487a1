/** Event streams as clients read them. */
import { type IncomingMessage, get } from 'node:http';

export interface Frame {
  id?: string;
  event?: string;
  data?: string;
}

/** An event stream as a client reads it. */
export interface Stream {
  answer: IncomingMessage;
  frames: Frame[];
  text: () => string;
  /** Resolves when that many frames have arrived. */
  until(frames: number): Promise<Frame[]>;
  ended: Promise<void>;
  leave(): void;
}

/** Requests a stream. `base` is the address of the server. */
export function openStream(base: string, path: string, headers: Record<string, string> = {}): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<Stream>();
  const asked = get(`${base}${path}`, { headers, agent: false }, (answer) => {
    let text = '';
    let changed: () => void = () => undefined;
    const framesOf = () =>
      text
        .split('\n\n')
        .slice(0, -1)
        .map(frameOf)
        .filter(({ data }) => data !== undefined);
    answer.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      changed();
    });
    answer.on('error', () => undefined);
    const ended = new Promise<void>((end) => answer.once('close', end));
    const until = async (count: number) => {
      while (framesOf().length < count) await new Promise<void>((next) => (changed = next));
      return framesOf();
    };
    const text_ = () => text;
    resolve({
      answer,
      until,
      ended,
      text: text_,
      leave: () => asked.destroy(),
      get frames() {
        return framesOf();
      },
    });
  });
  asked.on('error', reject);
  return promise;
}

function frameOf(text: string): Frame {
  const lines = text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return Object.fromEntries(lines.filter(([name]) => name !== ''));
}

/** Kinds of frames, with the states that they contain. */
export const states = (frames: Frame[]) =>
  frames.map(({ event, data }) => {
    const read = JSON.parse(data ?? '') as { state?: string; data?: { state?: string } };
    return [event, event === 'end' ? read.state : read.data?.state];
  });
