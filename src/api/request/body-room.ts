/**
 * Memory for bodies that are still coming in. Each is bounded by its route, but a thousand senders that stop one byte
 * before the end of 16 MiB would hold 16 GiB: so all together are bounded too, and who finds no room comes back later.
 */
const MOST = 268_435_456;

export class BodyRoom {
  /** Bytes that are taken now. */
  used = 0;

  constructor(private readonly most = MOST) {}

  /** Takes room for bytes that have come; false when there is none. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.most) return false;
    this.used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.used -= bytes;
  }
}

/** The room of this process. */
export const bodyRoom = new BodyRoom();
