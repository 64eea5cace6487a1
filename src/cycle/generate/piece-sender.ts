/**
 * Passes selected pages in pieces to a function that takes them. While PostgreSQL marks one piece the next is selected: the two
 * cost about the same, on two cores. One piece is being taken at a time.
 */
import type { Selected } from './generate.sql.js';

const PIECE = 4_000;

export class PieceSender {
  /** Pages taken so far, by segment. */
  readonly sizes = new Map<number, number>();
  private readonly pieces = new Map<number, Selected[]>();
  private taking: Promise<void> = Promise.resolve();
  /** Whether a piece is being taken. */
  busy = false;

  /**
   * @param take takes pages for a segment; returns those that another job has taken meanwhile
   * @param onTaken called with each of these
   */
  constructor(
    private readonly take: (segment: number, pages: Selected[]) => Promise<Selected[]>,
    private readonly onTaken: (segment: number, page: Selected) => void,
  ) {}

  add(segment: number, page: Selected): void {
    const piece = this.pieces.get(segment);
    if (piece) piece.push(page);
    else this.pieces.set(segment, [page]);
  }

  /** Passes on the full pieces. Rejects with the error of an earlier one. */
  async sendFull(): Promise<void> {
    for (const [segment, pages] of this.pieces) if (pages.length >= PIECE) await this.send(segment, pages);
  }

  /** Passes on the rest, and waits until all is taken. */
  async finish(): Promise<void> {
    for (const [segment, pages] of this.pieces) await this.send(segment, pages);
    await this.taking;
  }

  private async send(segment: number, pages: Selected[]): Promise<void> {
    this.pieces.delete(segment);
    await this.taking;
    this.busy = true;
    this.taking = this.take(segment, pages).then((missing) => {
      this.sizes.set(segment, (this.sizes.get(segment) ?? 0) + pages.length - missing.length);
      for (const page of missing) this.onTaken(segment, page);
      this.busy = false;
    });
    // Its error is thrown by the next `send` or by `finish`; until then it must not end the process.
    this.taking.catch(() => undefined);
  }
}
