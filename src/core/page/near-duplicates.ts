/**
 * Near duplicates: contents whose SimHashes differ in few bits.
 *
 * Near is not transitive: A may be near to B and B to C, but not A to C. So there are no groups; a content loses when
 * it is near to a better one **that stays**. Taken best first this has exactly one result: the best stays, contents near
 * to it lose, the best of the rest stays, and so on. Every duplicate is near to a page that stays, and no two pages that
 * stay are near to each other, unless no criterion decides.
 *
 * A chunk of contents is decided against those that stay already. If that overturns an older decision, the contents
 * that depend on it are recorded and decided again: a better one was added, and contents near to it may now lose; one was
 * removed, or only a duplicate keeps it, and contents near to it may now stay. A content depends on better ones only, so this
 * ends, with the same result in any order.
 *
 * One case is left until a DEDUP reads all contents: a content gets a worse value but stays. Contents that lost to it, and
 * might now be the better ones, are not decided again.
 */
import { type CompareBy, type ComparedPage, comparePages } from './duplicates.js';
import { bandsOf, hammingDistance, probesOf } from './simhash.js';
import { unreverseUrl } from '../url/row-key.js';
import type { EqualPage } from './duplicate-groups.js';

/** A content, and the scope in which it is compared: a host, a domain, or '' for all. */
export interface Content {
  place: string;
  signature: string;
}

export interface Near extends Content {
  /** The index of the content that it is near to. */
  contentIndex: number;
  /** Its value in the index. */
  hash: number;
}

export const contentName = ({ place, signature }: Content): string => `${signature} ${place}`;

/** A content that is to be decided, with the best of its pages. */
export interface Contender extends Content {
  /** Null: no page has it any more. */
  best: EqualPage | null;
  /** Whether it stays, by the earlier decision. */
  wasKept: boolean;
}

export interface Decision {
  readonly content: Contender;
  readonly kept: boolean;
}

export interface Decisions {
  readonly decided: readonly Decision[];
  /** Contents outside the chunk that stayed so far, and may not any more. */
  readonly challenged: readonly Content[];
  /** Contents of the chunk that stayed so far, and do not any more: those that depend on them are to be decided again. */
  readonly demoted: readonly Content[];
}

export interface NearRules {
  readonly order: readonly CompareBy[];
  readonly distance: number;
}

interface Rival extends Content {
  readonly compared: ComparedPage;
}

/**
 * Decides a chunk of contents. `rivals`: contents outside the chunk that stay and are near to one of the chunk, given by
 * index.
 */
export function decide(
  chunk: readonly Contender[],
  rivals: readonly (Near & { best: EqualPage })[],
  rules: NearRules,
): Decisions {
  const chunkNames = new Set(chunk.map(contentName));
  const near = new Map<number, Rival[]>();
  for (const rival of rivals) {
    if (chunkNames.has(contentName(rival))) continue;
    const list = near.get(rival.contentIndex) ?? [];
    list.push({ ...rival, compared: comparedPage(rival.best) });
    near.set(rival.contentIndex, list);
  }
  const contenders = chunk.map((content, at) => ({
    content,
    at,
    compared: content.best && comparedPage(content.best),
  }));
  const present = contenders.flatMap(({ content, at, compared }) =>
    compared === null ? [] : [{ content, at, compared }],
  );
  present.sort((a, b) => comparePages(b.compared, a.compared, rules.order));
  const kept = new KeptHere(rules.distance);
  const decided: Decision[] = [];
  const challenged = new Map<string, Content>();
  for (const { content, at, compared } of present) {
    const others = near.get(at) ?? [];
    const beaten = [...others, ...kept.nearTo(content)].some(
      (rival) => comparePages(rival.compared, compared, rules.order) > 0,
    );
    decided.push({ content, kept: !beaten });
    if (beaten) continue;
    kept.add({ ...content, compared });
    for (const other of others)
      if (comparePages(compared, other.compared, rules.order) > 0) challenged.set(contentName(other), other);
  }
  const absent = contenders
    .filter(({ compared }) => compared === null)
    .map(({ content }) => ({ content, kept: false }));
  const all = [...decided, ...absent];
  const demoted = all.filter(({ content, kept: stays }) => content.wasKept && !stays).map(({ content }) => content);
  return { decided: all, challenged: [...challenged.values()], demoted };
}

/** Contents of the chunk that stay, looked up by their bands like those outside of it. */
class KeptHere {
  private readonly byBand = new Map<string, Rival[]>();

  constructor(private readonly distance: number) {}

  add(rival: Rival): void {
    for (const band of bandsOf(rival.signature)) {
      const name = `${band} ${rival.place}`;
      const others = this.byBand.get(name);
      if (others) others.push(rival);
      else this.byBand.set(name, [rival]);
    }
  }

  nearTo({ place, signature }: Content): Rival[] {
    const candidates = probesOf(signature, this.distance).flatMap((band) => this.byBand.get(`${band} ${place}`) ?? []);
    return candidates.filter((rival) => hammingDistance(rival.signature, signature) <= this.distance);
  }
}

const comparedPage = ({ key, score, fetchTime }: EqualPage): ComparedPage => ({
  url: unreverseUrl(key),
  score,
  fetchTime: fetchTime.getTime(),
});
