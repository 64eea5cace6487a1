/**
 * Expands a simple expression into its alternatives: `a|b-(c|d)` is `a`, `b-c`, `b-d`.
 *
 * `plugin.includes` nearly always has this form, and only then are the ids known that it names literally.
 */

const MAX_ALTERNATIVES = 1000;
const LITERAL = /[A-Za-z0-9_-]+/y;

/** The alternatives of `expression`; none when it contains any other operator or has too many. */
export function literalAlternatives(expression: string): string[] {
  const reader = new AlternativesReader(expression.trim());
  const alternatives = reader.alternatives();
  return alternatives !== null && reader.isAtEnd ? alternatives.filter((text) => text !== '') : [];
}

class AlternativesReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at === this.text.length;
  }

  alternatives(depth = 0): string[] | null {
    const alternatives: string[] = [];
    do {
      const some = this.sequence(depth);
      if (some === null || alternatives.length + some.length > MAX_ALTERNATIVES) return null;
      alternatives.push(...some);
    } while (this.take('|'));
    return alternatives;
  }

  private sequence(depth: number): string[] | null {
    let heads = [''];
    for (;;) {
      const tails = this.piece(depth);
      if (tails === undefined) return heads;
      if (tails === null || heads.length * tails.length > MAX_ALTERNATIVES) return null;
      heads = heads.flatMap((head) => tails.map((tail) => head + tail));
    }
  }

  /** A literal or a group; undefined when neither is next, null when a group does not have the simple form. */
  private piece(depth: number): string[] | null | undefined {
    LITERAL.lastIndex = this.at;
    const word = LITERAL.exec(this.text)?.[0];
    if (word !== undefined) {
      this.at += word.length;
      return [word];
    }
    if (!this.take('(')) return undefined;
    this.take('?:');
    const inner = depth < 20 ? this.alternatives(depth + 1) : null;
    return this.take(')') ? inner : null;
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }
}
