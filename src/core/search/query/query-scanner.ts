/** Splits a query text into tokens: words, phrases, brackets. Linear; without grammar. */

export type QuerySymbol =
  | { readonly kind: 'open'; readonly sign: Sign; readonly field: string | null }
  | { readonly kind: 'close'; readonly boost: number | undefined }
  | (WrittenWord & { readonly kind: 'word' })
  | (WrittenWord & { readonly kind: 'phrase'; readonly slop: number | undefined });

export type Sign = '+' | '-' | '';

interface WrittenWord {
  readonly sign: Sign;
  /** The name before the colon. */
  readonly field: string | null;
  readonly text: string;
  readonly boost: number | undefined;
}

const SPACE = /[\s\p{Zs}]*/uy;
/** A sign belongs to the token immediately after it; `--help`, `+++` and `!=` are words. */
const SIGN = /[+-](?![+\-\s]|$)|!(?=[\p{L}\p{N}("“”„‟＂])/uy;
/** `std::string` and `http://` have no field. */
const FIELD = /([A-Za-z]+):(?![:/)\s]|$)/y;
const QUOTES = '"“”„‟＂';
const WORD = /[^\s\p{Zs}"“”„‟＂()]+/uy;
const QUOTED = /["“”„‟＂]([^"“”„‟＂]*)["“”„‟＂]/uy;
const BOOST = /\^(\d{1,3}(?:\.\d{1,3})?)(?=[\s\p{Zs}()"]|$)/uy;
const SLOP = /~(\d{1,2})(?!\d)/y;
const BOOST_AT_END = /^(.+)\^(\d{1,3}(?:\.\d{1,3})?)$/su;
const LONG_BOOST = /\^(?:\d{4,}(?:\.\d*)?|\d+\.\d{4,})$/;

export class QueryScanner {
  readonly #text: string;
  #at = 0;
  /** Unpaired quotation marks. */
  lonelyQuotes = 0;
  /** The first word with a number that is too long for a boost. */
  longBoost: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** null: the end of the text. */
  next(): QuerySymbol | null {
    for (;;) {
      this.#match(SPACE);
      if (this.#at >= this.#text.length) return null;
      const symbol = this.#symbol();
      if (symbol !== null) return symbol;
    }
  }

  /** null: characters without a meaning were skipped. */
  #symbol(): QuerySymbol | null {
    if (this.#text[this.#at] === ')') {
      this.#at++;
      return { kind: 'close', boost: this.#boost() };
    }
    const sign = signOf(this.#match(SIGN)?.[0]);
    const field = this.#match(FIELD)?.[1] ?? null;
    const first = this.#text[this.#at]!;
    if (first === '(') {
      this.#at++;
      return { kind: 'open', sign, field };
    }
    if (QUOTES.includes(first)) return this.#phrase(sign, field);
    const written = this.#match(WORD)?.[0];
    // A closing bracket may follow a sign or a field.
    if (written === undefined) return null;
    const boosted = BOOST_AT_END.exec(written);
    if (boosted === null && LONG_BOOST.test(written)) this.longBoost ??= written;
    const text = boosted?.[1] ?? written;
    return { kind: 'word', sign, field, text, boost: boosted ? Number(boosted[2]) : undefined };
  }

  #phrase(sign: Sign, field: string | null): QuerySymbol | null {
    const quoted = this.#match(QUOTED);
    if (quoted === null) {
      this.#at++;
      this.lonelyQuotes++;
      return null;
    }
    const slop = this.#match(SLOP)?.[1];
    const boost = this.#boost();
    return {
      kind: 'phrase',
      sign,
      field,
      text: quoted[1]!,
      boost,
      slop: slop === undefined ? undefined : Number(slop),
    };
  }

  #boost(): number | undefined {
    const boost = this.#match(BOOST)?.[1];
    return boost === undefined ? undefined : Number(boost);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }
}

/** `!` excludes, as in Lucene. */
const signOf = (written: string | undefined): Sign => (written === '!' ? '-' : ((written ?? '') as Sign));
