/** Concatenates pieces of Markdown: between two are the line ends of the one that has more, at most two. */

const LINE_END = 10;
const MAX_LINE_ENDS = 2;

export class Joined {
  /** Without line ends at its end. */
  private text = '';
  private lineEnds = 0;

  add(piece: string): void {
    const leading = countStart(piece);
    const lineEnds = Math.min(MAX_LINE_ENDS, Math.max(this.lineEnds, leading));
    if (leading === piece.length) {
      this.lineEnds = lineEnds;
      return;
    }
    const end = trimmedEnd(piece);
    if (lineEnds > 0) this.text += lineEnds === 1 ? '\n' : '\n\n';
    this.text += leading === 0 && end === piece.length ? piece : piece.slice(leading, end);
    this.lineEnds = piece.length - end;
  }

  toString(): string {
    return this.lineEnds === 0 ? this.text : this.text + '\n'.repeat(this.lineEnds);
  }
}

function countStart(text: string): number {
  let count = 0;
  while (text.charCodeAt(count) === LINE_END) count++;
  return count;
}

function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === LINE_END) end--;
  return end;
}

/** A text without line ends at either end. */
export const withoutLineEnds = (text: string): string =>
  text.slice(countStart(text), Math.max(trimmedEnd(text), countStart(text)));
