import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/**
 * A streamed answer: the next piece is asked for when the one before has gone out, so a slow reader makes nobody wait
 * but itself, and one that goes away ends the reading. The first piece is made before the answer begins: an error there
 * is answered as a problem. A later one cuts the connection, so that nobody takes the answer for whole.
 */
export async function textStream(texts: AsyncGenerator<string>, type: string): Promise<StreamableFile> {
  const first = await texts.next();
  const all = async function* () {
    if (first.done) return;
    if (first.value !== '') yield first.value;
    yield* texts;
  };
  return new StreamableFile(Readable.from(all(), { objectMode: false }), { type });
}
