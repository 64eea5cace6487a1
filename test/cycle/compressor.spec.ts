import { randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress } from '../../src/cycle/parse/compressor.js';

const data = [
  Buffer.alloc(0),
  Buffer.from('a'),
  Buffer.alloc(300_000, 'abc'),
  randomBytes(10),
  randomBytes(131_072),
  randomBytes(3_000_000),
  Buffer.from('after all of them'),
];

describe('compression for storage', () => {
  it.each(data.map((bytes) => [bytes.length, bytes] as const))('%i bytes come back', (_, bytes) => {
    const frame = compress(bytes);
    expect(zstdDecompressSync(frame).equals(bytes)).toBe(true);
    expect(frame.length).toBeLessThanOrEqual(bytes.length + 200);
  });

  it('makes of each page a frame of its own, that nothing later changes', () => {
    const frames = data.map(compress);
    const again = data.map(compress);
    expect(frames.filter((frame, at) => !zstdDecompressSync(frame).equals(data[at]!))).toEqual([]);
    expect(frames.filter((frame, at) => !again[at]!.equals(frame))).toEqual([]);
  });

  it('takes text as UTF-8', () => expect(zstdDecompressSync(compress('zürich')).toString()).toBe('zürich'));
});
