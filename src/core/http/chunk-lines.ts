/**
 * The lines between the chunks of an answer of HTTP/1, rewritten as a strict parser reads them.
 *
 * A recipient has to ignore blanks around a size (RFC 9112 §7.1.1, RFC 9110 §5.6.3; some servers fill it up with them), and
 * may read lines that end in LF alone (RFC 9112 §2.2). The parser refuses both. A body whose first size is as the parser wants
 * it is not read here; of others, extensions and trailers are dropped, which have no use here.
 */
const STRICT = /^[\da-f]+\r\n$/i;
const SIZE = /^[ \t]*([\da-f]{1,12})[ \t]*(?:;.*)?\r?\n$/i;
const EMPTY = /^\r?\n$/;
/** A longer line is left to the parser; a trailer is dropped whatever its length. */
const MAX_LINE_BYTES = 4096;
const LF = 10;
const NONE: Buffer = Buffer.alloc(0);

type Part = 'size' | 'data' | 'end of data' | 'trailer';

/** Reads the bytes of one body, in pieces of any size. */
export class ChunkLines {
  #part: Part = 'size';
  /** The line so far. */
  #line: Buffer = NONE;
  /** Bytes of the chunk that have not come yet. */
  #left = 0;
  #isLeftToParser = false;
  #isRewritten = false;

  /** Whether all further bytes are passed on as they are. */
  get isLeftToParser(): boolean {
    return this.#isLeftToParser;
  }

  get isRewritten(): boolean {
    return this.#isRewritten;
  }

  /** What the parser may read of these bytes. */
  read(bytes: Buffer): Buffer {
    const passed: Buffer[] = [];
    let rest = bytes;
    while (rest.length > 0 && !this.#isLeftToParser) {
      const length = this.#part === 'data' ? Math.min(this.#left, rest.length) : rest.indexOf(LF) + 1 || rest.length;
      const piece = rest.subarray(0, length);
      rest = rest.subarray(length);
      passed.push(this.#part === 'data' ? this.#data(piece) : this.#lineWith(piece));
    }
    return passed.length === 0 ? rest : Buffer.concat([...passed, rest]);
  }

  #data(piece: Buffer): Buffer {
    this.#left -= piece.length;
    if (this.#left === 0) this.#part = 'end of data';
    return piece;
  }

  /** Adds a piece to the present line, and passes the line on when it is complete. */
  #lineWith(piece: Buffer): Buffer {
    this.#line = this.#line.length === 0 ? piece : Buffer.concat([this.#line, piece]);
    if (this.#line.at(-1) !== LF && this.#line.length <= MAX_LINE_BYTES) return NONE;
    const line = this.#line;
    this.#line = NONE;
    const text = line.toString('latin1');
    const rewritten = !this.#isRewritten && STRICT.test(text) ? null : this.#rewritten(text);
    this.#isLeftToParser ||= rewritten === null;
    this.#isRewritten ||= rewritten !== null;
    return rewritten === null ? line : Buffer.from(rewritten, 'latin1');
  }

  /** Null: it is no line of this kind, which the parser refuses. */
  #rewritten(line: string): string | null {
    if (this.#part === 'size') return this.#sizeOf(line);
    const isEmpty = EMPTY.test(line);
    if (!isEmpty) return this.#part === 'trailer' ? '' : null;
    this.#isLeftToParser = this.#part === 'trailer';
    this.#part = 'size';
    return '\r\n';
  }

  #sizeOf(line: string): string | null {
    const [, digits] = SIZE.exec(line) ?? [];
    if (digits === undefined) return null;
    this.#left = Number.parseInt(digits, 16);
    this.#part = this.#left === 0 ? 'trailer' : 'data';
    return `${digits}\r\n`;
  }
}
