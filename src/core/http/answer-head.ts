/**
 * The header sections of an answer of HTTP/1, rewritten as a strict parser reads them.
 *
 * Servers send what RFC 9112 lets a client read, and what browsers and Nutch read, but what the parser refuses: a 100 that
 * nobody asked for (RFC 9110 §15.2), fields folded over several lines (RFC 9112 §5.2), lines that end in LF alone
 * (§2.2), blanks before a colon (§5.1), a length that is repeated (RFC 9110 §8.6). Lines that are no field
 * are dropped, and controls in values become blanks. Lengths that differ, a length beside a transfer coding, and NUL are left
 * to the parser, which refuses them. chunk-lines.ts does the same for the lines between the chunks of a body.
 */
import { ChunkLines } from './chunk-lines.js';

/** A section that the parser reads as it is. */
const WELL_FORMED =
  /^HTTP\/1\.[01] (?!100)\d{3}(?: [\t -~\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~\w-]+:[\t -~\x80-\xff]*\r\n)*\r\n$/;
const CHUNKED = /^transfer-encoding[ \t]*:[^\n]*\bchunked[ \t]*\r?$/im;
const TWO_LENGTHS = /^content-length:(?:.*,|[^]*^content-length:)/im;
const STATUS_LINE = /^(HTTP\/\d\.\d)[ \t]+(\d{3})(?!\d)[: \t]*(.*)$/;
/** Empty, too: the parser refuses a field without a name. */
const NAME = /^[!#$%&'*+.^_`|~\w-]*$/;
const CONTROLS = /[^\t -~\x80-\xff]/g;
const START = 'HTTP/';
const CONTINUE = '100';
/** Longer sections are passed on as they are. */
const MAX_SECTION_BYTES = 16 * 1024;
/** An empty line with the end of the line before it: CR LF CR LF, without the first CR. */
const EMPTY_LINE_BYTES = 3;
const LF = 10;
const CR = 13;
const NONE: Buffer = Buffer.alloc(0);

/** Reads the bytes of one answer, in chunks of any size. */
export class AnswerHead {
  #pending: Buffer = NONE;
  /** Position in `#pending` before which no section ends. */
  #searched = 0;
  #isBody = false;
  #isHttp10 = false;
  #isRewritten = false;
  /** The lines between the chunks of the body; null: it is not sent in chunks. */
  #chunks: ChunkLines | null = null;

  /** Whether all further bytes are those of the body, which the parser reads as they are. */
  get isBody(): boolean {
    return this.#isBody && (this.#chunks?.isLeftToParser ?? true);
  }

  get isHttp10(): boolean {
    return this.#isHttp10;
  }

  /** Whether anything was rewritten: where the answer of such a server ends is not certain. */
  get isRewritten(): boolean {
    return this.#isRewritten || this.#chunks?.isRewritten === true;
  }

  /** The bytes that the parser may read now; null: none, as a section is incomplete. */
  read(chunk: Buffer): Buffer | null {
    if (this.#isBody) return this.#chunks === null ? chunk : orNull(this.#chunks.read(chunk));
    const received = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    let bytes = received;
    const passed: Buffer[] = [];
    while (!this.#isBody) {
      const start = startOf(bytes);
      const end = endOf(bytes, Math.max(start, this.#searched));
      this.#searched = 0;
      if (isAnswer(bytes, start) && end >= 0) {
        passed.push(this.#rewritten(bytes.subarray(start, end)));
        bytes = bytes.subarray(end);
      } else if (isAnswer(bytes, start) && bytes.length <= MAX_SECTION_BYTES) {
        // The end may begin in the last bytes.
        this.#searched = Math.max(0, bytes.length - EMPTY_LINE_BYTES);
        break;
      } else this.#isBody = true;
    }
    this.#pending = this.#isBody ? NONE : bytes;
    const body = this.#isBody ? (this.#chunks?.read(bytes) ?? bytes) : NONE;
    // Without a copy.
    if (this.isBody && !this.isRewritten) return received;
    return orNull(Buffer.concat([...passed, body]));
  }

  #rewritten(section: Buffer): Buffer {
    const text = section.toString('latin1');
    const isWellFormed = WELL_FORMED.test(text) && !TWO_LENGTHS.test(text);
    const [line = '', ...lines] = isWellFormed ? [text] : linesOf(text);
    const [, version = '', status = '', reason = ''] =
      STATUS_LINE.exec(isWellFormed ? text.slice(0, 'HTTP/1.1 200'.length) : line) ?? [];
    // After a 1xx another section follows.
    this.#isBody = !status.startsWith('1');
    this.#isHttp10 = version === 'HTTP/1.0';
    if (this.#isBody && CHUNKED.test(text)) this.#chunks = new ChunkLines();
    if (isWellFormed) return section;
    this.#isRewritten = true;
    if (status === CONTINUE) return NONE;
    const first = status === '' ? line : `${version} ${status} ${reason}`;
    return Buffer.from([first, ...withOneLength(fieldsOf(lines)), '', ''].join('\r\n'), 'latin1');
  }
}

const orNull = (bytes: Buffer): Buffer | null => (bytes.length === 0 ? null : bytes);

/** Where a section begins: lines that are empty may precede it (RFC 9112 §2.2). */
function startOf(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  return at;
}

/** The position after the empty line that ends a section; -1: it is incomplete. */
function endOf(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** Whether the bytes are an answer of HTTP/1, as far as they go. */
function isAnswer(bytes: Buffer, start: number): boolean {
  const begin = bytes.toString('latin1', start, start + START.length);
  return START.startsWith(begin);
}

/** The lines of a section; folded ones are joined by a blank. */
function linesOf(section: string): string[] {
  const lines: string[] = [];
  for (const line of section.split(/\r?\n/)) {
    if (line === '') continue;
    // A blank line after the status line belongs to no field.
    if (/^[ \t]/.test(line) && lines.length > 1) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(line);
  }
  return lines;
}

interface Field {
  readonly name: string;
  readonly value: string;
}

function fieldsOf(lines: readonly string[]): Field[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    const isField = colon >= 0 && NAME.test(name);
    return isField
      ? [{ name, value: line.slice(colon + 1).replace(CONTROLS, (control) => (control === '\0' ? control : ' ')) }]
      : [];
  });
}

/** The fields as lines. A length that is repeated is one; lengths that differ stay. */
function withOneLength(fields: readonly Field[]): string[] {
  const isLength = ({ name }: Field) => name.toLowerCase() === 'content-length';
  const lengths = fields.filter(isLength).flatMap(({ value }) => value.split(',').map((each) => each.trim()));
  const [length = ''] = lengths;
  const isOne = lengths.length > 1 && lengths.every((each) => each === length) && /^\d+$/.test(length);
  const kept = isOne
    ? [...fields.filter((field) => !isLength(field)), { name: 'Content-Length', value: length }]
    : fields;
  return kept.map(({ name, value }) => `${name}:${value}`);
}
