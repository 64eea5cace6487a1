/** Concatenates pieces of Markdown: between two are the line ends of the one that has more, at most two. */

const LINE_END = 10;
const MAX_LINE_ENDS = 2;

export class Joined {
  /** Without line ends at its ends. */
  private text = '';
  private leading = 0;
  private trailing = 0;

  get length(): number {
    return this.leading + this.text.length + this.trailing;
  }

  add(piece: string): void {
    const leading = countStart(piece);
    const end = leading === piece.length ? leading : trimmedEnd(piece);
    const isWhole = leading === 0 && end === piece.length;
    this.append(isWhole ? piece : piece.slice(leading, end), leading, piece.length - end);
  }

  /** Adds text between blank lines. Unlike `add`, it copies no text, however deep elements are nested. */
  addBlock({ text, leading, trailing }: Joined): void {
    this.append(text, leading + MAX_LINE_ENDS, trailing + MAX_LINE_ENDS);
  }

  toString(): string {
    return '\n'.repeat(this.leading) + this.text + '\n'.repeat(this.trailing);
  }

  private append(text: string, leading: number, trailing: number): void {
    const lineEnds = Math.min(MAX_LINE_ENDS, Math.max(this.trailing, leading));
    if (text === '') {
      this.trailing = lineEnds;
      return;
    }
    if (this.text === '') this.leading = lineEnds;
    else if (lineEnds > 0) this.text += lineEnds === 1 ? '\n' : '\n\n';
    this.text += text;
    this.trailing = trailing;
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
