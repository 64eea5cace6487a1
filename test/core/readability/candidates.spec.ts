import { describe, expect, it } from 'vitest';
import {
  chosenOf,
  initialScore,
  type Scores,
  topCandidates,
  withSiblings,
} from '../../../src/core/readability/candidates.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const x = (length: number): string => 'x'.repeat(length);

/** The scores of a page whose paragraphs are scored, by ids. */
function scored(html: string, weighsClasses = true) {
  const document = parseTree(`<!doctype html><html id=html><body id=b>${html}`);
  const scores: Scores = new Map();
  const top = topCandidates(document.getElementsByTagName('p'), scores, weighsClasses);
  const byId = (id: string) => document.getElementById(id)!;
  return { scores, top, byId, scoreOf: (id: string) => scores.get(byId(id)) };
}

describe('a paragraph', () => {
  it.each<[what: string, text: string, points: number | undefined]>([
    ['of 24 characters has no points', x(24), undefined],
    ['of 25 characters has two', x(25), 2],
    ['of 99 characters has two', x(99), 2],
    ['of 100 characters has three', x(100), 3],
    ['of 300 characters has five', x(300), 5],
    ['of 1,000 characters has five', x(1_000), 5],
    ['has one more for each comma', `${x(25)},a,b`, 4],
    ['has one for a comma of another script', `${x(25)}،a，b`, 4],
    ['is counted without the white space at its ends', `${' '.repeat(9)}${x(24)} \n`, undefined],
  ])('%s', (_what, text, points) => expect(scored(`<section id=s><p>${text}</p>`).scoreOf('s')).toBe(points));

  it('gives its points to five ancestors, fewer to each, and none to the root', () => {
    const { scoreOf } = scored(
      `<section id=s5><section id=s4><section id=s3><section id=s2><section id=s1><p>${x(100)}`,
    );
    expect(['s1', 's2', 's3', 's4', 's5', 'b'].map(scoreOf)).toEqual([3, 3 / 2, 3 / 6, 3 / 9, 3 / 12, undefined]);
    expect(scored(`<p>${x(100)}`).scoreOf('html')).toBeUndefined();
  });

  it('adds to the points of others', () => {
    expect(scored(`<section id=s><p>${x(25)}</p><p>${x(100)}</p>`).scoreOf('s')).toBe(5);
  });
});

describe('the score of an element', () => {
  it.each<[name: string, score: number]>([
    ['div', 5],
    ['pre', 3],
    ['blockquote', 3],
    ['form', -3],
    ['ul', -3],
    ['h2', -5],
    ['section', 0],
  ])('begins by its name: %s with %i', (name, score) => {
    const element = parseTree(`<!doctype html><body><${name} id=e>a`).getElementById('e')!;
    expect(initialScore(element, true)).toBe(score);
  });

  it.each<[attributes: string, weighsClasses: boolean, score: number]>([
    ['class=article', true, 25],
    ['class=promo', true, -25],
    ['class="promo article"', true, 0],
    ['class=article id=content', true, 50],
    ['class=article', false, 0],
  ])('counts the words of its class and id: %s, weighed: %s', (attributes, weighsClasses, score) => {
    const [element] = parseTree(`<!doctype html><body><section ${attributes}>`).getElementsByTagName('section');
    expect(initialScore(element!, weighsClasses)).toBe(score);
  });

  it('is reduced by the part of its text in links', () => {
    expect(scored(`<section id=s><p>${x(75)}<a href=/b>${x(25)}</a></p>`).scoreOf('s')).toBe(3 * 0.75);
  });
});

describe('the candidates', () => {
  const sections = (...lengths: number[]) =>
    lengths.map((length, at) => `<section id=s${at}><p>${x(length)}</p></section>`).join('');

  it('are the best five, in descending order; of equals the first of the page', () => {
    const { top } = scored(`<article id=all>${sections(100, 300, 25, 200, 300, 100)}</article>`);
    // The article has half of all points.
    expect(top.map(({ id }) => id)).toEqual(['all', 's1', 's4', 's3', 'b']);
  });

  it('are none on a page without a paragraph of 25 characters', () => {
    expect(scored(sections(24, 24)).top).toEqual([]);
  });
});

describe('chosen is', () => {
  const choose = (html: string) => {
    const { scores, top } = scored(html);
    return chosenOf(top, scores, true).id;
  };
  const other = '<i></i>';

  it('the best candidate', () => {
    expect(choose(`${other}<section>${other}<section id=s>${other}<p>${x(300)}`)).toBe('s');
  });

  it('the parent of one without siblings', () => {
    expect(choose(`${other}<section id=outer><section id=s>${other}<p>${x(300)}`)).toBe('outer');
  });

  /** A division with as many paragraphs, whose parent has a much lower score. */
  const deep = (paragraphs: number): string =>
    `<ul><li>${other}<div id=d${paragraphs}>${`<p>${x(300)}</p>`.repeat(paragraphs)}</div></ul>`;

  it('a common ancestor of three others that have three quarters of its score', () => {
    expect(choose(`${other}<section id=outer>${[9, 8, 8, 7].map(deep).join('')}</section>`)).toBe('outer');
  });

  it('no common ancestor where one of them has less', () => {
    expect(choose(`${other}<section id=outer>${[9, 8, 8, 6].map(deep).join('')}</section>`)).toBe('d9');
  });
});

describe('a sibling of the chosen element', () => {
  const joins = (sibling: string, scoreOfSibling?: number, score = 100): boolean => {
    const document = parseTree(`<!doctype html><body><div id=chosen class=k>a</div>${sibling}`);
    const [chosen, other] = document.body!.children;
    const scores: Scores = new Map([[chosen!, score]]);
    if (scoreOfSibling !== undefined) scores.set(other!, scoreOfSibling);
    return withSiblings(chosen!, scores).children.length === 2;
  };

  it.each<[what: string, joined: boolean, sibling: string, own?: number, score?: number]>([
    ['with a fifth of its score joins it', true, '<div>b</div>', 20],
    ['with less does not', false, '<div>b</div>', 19.9],
    ['needs ten at least', false, '<div>b</div>', 9.9, 1],
    ['of the same class has a bonus of a fifth', true, '<div class=k>b</div>', 0],
    ['of another class has none', false, '<div class=l>b</div>', 0],
    ['without a score does not', false, '<div>b</div>'],
    ['that is a paragraph of 81 characters does', true, `<p>${x(81)}</p>`],
    ['that is such a paragraph with a quarter of its text in links does not', false, `<p>${x(75)}<a>${x(25)}</a></p>`],
    ['that is such a paragraph with less in links does', true, `<p>${x(76)}<a>${x(24)}</a></p>`],
    ['that is a short paragraph with a sentence does', true, '<p>A sentence.</p>'],
    ['that is a short paragraph without one does not', false, '<p>No sentence</p>'],
    ['that is a short sentence with a link does not', false, '<p>A <a>sentence</a>.</p>'],
    ['that is an empty paragraph does not', false, '<p></p>'],
  ])('%s', (_what, joined, sibling, own, score) => expect(joins(sibling, own, score)).toBe(joined));

  it('becomes a division, unless it may stand beside paragraphs', () => {
    const document = parseTree('<!doctype html><body><div>a</div><table><tr><td>b</table><section>c</section>');
    const scores: Scores = new Map(document.body!.children.map((element) => [element, 50]));
    const names = withSiblings(document.body!.firstElementChild!, scores).children.map(({ localName }) => localName);
    expect(names).toEqual(['div', 'div', 'section']);
  });
});
