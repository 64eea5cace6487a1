/**
 * Near duplicates: contents whose SimHashes differ in few bits.
 *
 * Near is not the same for all: A may be near to B and B to C, but not A to C. So there are no groups; a content loses when
 * it is near to a better one **that stays**. Taken best first that leaves exactly one answer: the best stays, what is near
 * to it goes, the best of the rest stays, and so on. Every duplicate is near to a page that stays, and no two pages that
 * stay are near to each other, unless no criterion decides.
 *
 * A chunk of contents is decided against those that stay already. Where that overturns an older decision, the contents
 * that hung on it are noted and decided again: a better one came, and what it beats may now lose; one went, or has only a
 * duplicate left to stay by, and what it beat may now stay. A content hangs only on better ones, so this comes to its end, at
 * the same answer by any way. (Not looked at again until all contents are: what hung on a content that has got worse, and stays.)
 */
import { type CompareBy, type Twin, compareTwins } from '../../core/page/duplicates.js';
import { bandsOf, hammingDistance, probesOf } from '../../core/page/simhash.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type Content, type Near, contentName } from './near.sql.js';
import type { PageTwin } from './twin-groups.js';

/** A content that is to be decided, with the best of its pages. */
export interface Contender extends Content {
  /** Null: no page has it any more. */
  best: PageTwin | null;
  /** It stays, by what was decided before. */
  wasKept: boolean;
}

export interface Decision {
  readonly content: Contender;
  readonly kept: boolean;
}

export interface Decisions {
  readonly decided: readonly Decision[];
  /** Contents elsewhere that stayed, and may not any more. */
  readonly challenged: readonly Content[];
  /** Contents of the chunk that stayed, and do not any more: what hung on them is to be decided again. */
  readonly fallen: readonly Content[];
}

export interface NearRules {
  readonly order: readonly CompareBy[];
  readonly distance: number;
}

interface Rival extends Content {
  readonly twin: Twin;
}

/** Decides a chunk of contents. `rivals`: those near to each, by its index in the chunk, that stay elsewhere. */
export function decide(
  chunk: readonly Contender[],
  rivals: readonly (Near & { best: PageTwin })[],
  rules: NearRules,
): Decisions {
  const own = new Set(chunk.map(contentName));
  const near = new Map<number, Rival[]>();
  for (const rival of rivals) {
    if (own.has(contentName(rival))) continue;
    const list = near.get(rival.of) ?? [];
    list.push({ ...rival, twin: twinOf(rival.best) });
    near.set(rival.of, list);
  }
  const contenders = chunk.map((content, at) => ({ content, at, twin: content.best && twinOf(content.best) }));
  const living = contenders.flatMap(({ content, at, twin }) => (twin === null ? [] : [{ content, at, twin }]));
  living.sort((a, b) => compareTwins(b.twin, a.twin, rules.order));
  const kept = new KeptHere(rules.distance);
  const decided: Decision[] = [];
  const challenged = new Map<string, Content>();
  for (const { content, at, twin } of living) {
    const others = near.get(at) ?? [];
    const beaten = [...others, ...kept.nearTo(content)].some(
      (rival) => compareTwins(rival.twin, twin, rules.order) > 0,
    );
    decided.push({ content, kept: !beaten });
    if (beaten) continue;
    kept.add({ ...content, twin });
    for (const other of others)
      if (compareTwins(twin, other.twin, rules.order) > 0) challenged.set(contentName(other), other);
  }
  const dead = contenders.filter(({ twin }) => twin === null).map(({ content }) => ({ content, kept: false }));
  const all = [...decided, ...dead];
  const fallen = all.filter(({ content, kept: stays }) => content.wasKept && !stays).map(({ content }) => content);
  return { decided: all, challenged: [...challenged.values()], fallen };
}

/** Contents of the chunk that stay, found by their bands as those elsewhere are. */
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
    const found = probesOf(signature, this.distance).flatMap((band) => this.byBand.get(`${band} ${place}`) ?? []);
    return found.filter((rival) => hammingDistance(rival.signature, signature) <= this.distance);
  }
}

const twinOf = ({ key, score, fetchTime }: PageTwin): Twin => ({
  url: unreverseUrl(key),
  score,
  fetchTime: fetchTime.getTime(),
});
