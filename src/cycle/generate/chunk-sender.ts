/**
 * Passes selected pages in chunks to a function that takes them. While PostgreSQL marks one chunk the next is selected: the two
 * cost about the same, on two cores. One chunk is being taken at a time.
 */
import type { Selected } from './generate.sql.js';

const CHUNK = 4_000;

export class ChunkSender {
  /** Pages taken so far, by segment. */
  readonly sizes = new Map<number, number>();
  private readonly chunks = new Map<number, Selected[]>();
  private taking: Promise<void> = Promise.resolve();
  /** Whether a chunk is being taken. */
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
    const chunk = this.chunks.get(segment);
    if (chunk) chunk.push(page);
    else this.chunks.set(segment, [page]);
  }

  /** Passes on the full chunks. Rejects with the error of an earlier one. */
  async sendFull(): Promise<void> {
    for (const [segment, pages] of this.chunks) if (pages.length >= CHUNK) await this.send(segment, pages);
  }

  /** Passes on the rest, and waits until all is taken. */
  async finish(): Promise<void> {
    for (const [segment, pages] of this.chunks) await this.send(segment, pages);
    await this.taking;
  }

  private async send(segment: number, pages: Selected[]): Promise<void> {
    this.chunks.delete(segment);
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
