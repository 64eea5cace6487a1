/** A parsed CSS selector. */

export type Combinator = ' ' | '>' | '+' | '~';

export type Condition =
  | { readonly kind: 'type' | 'id' | 'class'; readonly name: string }
  | {
      readonly kind: 'attribute';
      readonly name: string;
      /** `''`: the attribute is present. */
      readonly operator: '' | '=' | '~=' | '|=' | '^=' | '$=' | '*=';
      readonly value: string;
      readonly flag: '' | 'i' | 's';
    }
  | { readonly kind: 'pseudo'; readonly name: string }
  | { readonly kind: 'list'; readonly name: 'is' | 'where' | 'not' | 'has'; readonly selectors: readonly Selector[] }
  | {
      readonly kind: 'nth';
      readonly name: string;
      /** Positions a·n + b. */
      readonly a: number;
      readonly b: number;
      readonly of: readonly Selector[] | null;
    }
  | { readonly kind: 'lang' };

export interface Compound {
  /** Relation to the compound before it; of the first one, to the element that `:has` tests. */
  readonly combinator: Combinator;
  readonly conditions: readonly Condition[];
}

/** From left to right. */
export type Selector = readonly Compound[];
