/** Frames of HTTP/2 as bytes, for servers that send what no library sends (RFC 9113 §4.1). */
const TYPES = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
  UNKNOWN: 0xef,
};

/** Flag of HEADERS and PUSH_PROMISE: no CONTINUATION follows. */
export const END_HEADERS = 4;

/** A frame, of the connection unless a stream is given. */
export function frame(type: keyof typeof TYPES, payload: Buffer, { stream = 0, flags = 0 } = {}): Buffer {
  const head = Buffer.from([0, 0, 0, TYPES[type], flags, 0, 0, 0, stream]);
  head.writeUIntBE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}

/** A number of 32 bits. */
export const word = (value: number): Buffer => Buffer.from([0, 0, 0, value]);

/** The header section `:status: 200`, indexed (RFC 7541, appendix A). */
export const ok200 = frame('HEADERS', Buffer.from([0x88]), { stream: 1, flags: END_HEADERS });
