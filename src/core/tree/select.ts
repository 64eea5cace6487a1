/**
 * Runs CSS selectors on a tree (Selectors Level 4; HTML §4.17 for case-insensitive values).
 *
 * Left to jsdom are escapes, languages, states of forms and `nth` of a selector: `canSelect` returns false.
 */
import { readSelector } from '../extract/css-selector.js';
import type { Compound, Condition, Selector } from '../extract/selector.js';
import type { TreeElement, TreeParent } from './element.js';
import { DOCUMENT, ELEMENT, elementsIn, following, TEXT, type TreeNode } from './node.js';

type Test = (element: TreeElement) => boolean;

/** HTML §4.17.2: attributes whose values are compared case-insensitively. */
const ANY_CASE = new Set(
  (
    'accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir ' +
    'direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize ' +
    'noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink'
  ).split(' '),
);
/** Compiled selectors in the cache: rules and libraries use the same few for each page. */
const MAX_CACHED = 1_000;
const cache = new Map<string, Test | null>();

/** The elements in `root` that match a selector, in document order. @throws Error where `canSelect` is false */
export function selectAll(root: TreeParent, selector: string, max = Infinity): TreeElement[] {
  return elementsIn(root, testOf(selector), max);
}

/** As `selectAll`, lazily, for callers that may need only the first few. */
export function* select(root: TreeParent, selector: string): Generator<TreeElement> {
  const test = testOf(selector);
  for (let node = following(root, root); node !== null; node = following(node, root))
    if (node.nodeType === ELEMENT && test(node as TreeElement)) yield node as TreeElement;
}

export const selects = (element: TreeElement, selector: string): boolean => testOf(selector)(element);

/** Whether the selector is supported here. */
export const canSelect = (selector: string): boolean => compiled(selector) !== null;

function testOf(selector: string): Test {
  const test = compiled(selector);
  if (test === null) throw new Error(`${selector} is left to jsdom`);
  return test;
}

function compiled(selector: string): Test | null {
  let test = cache.get(selector);
  if (test !== undefined) return test;
  const selectors = selector.includes('\\') ? null : readSelector(selector);
  test = selectors === null || !selectors.every(isKnown) ? null : anyOf(selectors);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(selector, test);
  return test;
}

const isKnown = (selector: Selector): boolean =>
  selector.every(({ conditions }) =>
    conditions.every((condition) => {
      if (condition.kind === 'pseudo') return Object.hasOwn(PSEUDOS, condition.name);
      if (condition.kind === 'list') return condition.selectors.every(isKnown);
      return condition.kind !== 'lang' && !(condition.kind === 'nth' && condition.of !== null);
    }),
  );

function anyOf(selectors: readonly Selector[]): Test {
  const names = selectors.map(nameAlone);
  if (names.every((name) => name !== null)) {
    const any = new Set(names);
    return ({ localName }) => any.has(localName);
  }
  const tests = selectors.map(complexTest);
  return tests.length === 1 ? tests[0]! : (element) => tests.some((test) => test(element));
}

/** The name in a selector that is only an element name; null for every other selector. */
function nameAlone([first, ...others]: Selector): string | null {
  const [condition, ...more] = first!.conditions;
  if (others.length > 0 || more.length > 0 || condition?.kind !== 'type') return null;
  return /^[a-z0-9-]+$/.test(condition.name) ? condition.name : null;
}

/**
 * Whether a chain of compounds that ends at an element matches. `none before`, `none above`: no, nor does it at any
 * earlier sibling, or at any ancestor. So matching never backtracks, however deeply a page nests such elements.
 */
type MatchResult = 'yes' | 'no' | 'none before' | 'none above';
type Chain = (element: TreeElement) => MatchResult;

function complexTest([first, ...others]: Selector): Test {
  const test = compoundTest(first!.conditions);
  return others.length === 0 ? test : chainTest(test, others);
}

function chainTest(first: Test, others: readonly Compound[]): Test {
  const chain = others.reduce<Chain>(joined, (element) => (first(element) ? 'yes' : 'no'));
  return (element) => chain(element) === 'yes';
}

/** Appends a compound to a chain. */
function joined(before: Chain, { combinator, conditions }: Compound): Chain {
  const matchesItself = compoundTest(conditions);
  const goesUp = combinator === '>' || combinator === ' ';
  const step = goesUp ? above : earlier;
  const end: MatchResult = goesUp ? 'none above' : 'none before';
  if (combinator === '>' || combinator === '+')
    return (element) => {
      if (!matchesItself(element)) return 'no';
      const candidate = step(element);
      const outcome = candidate === null ? end : before(candidate);
      // Its siblings have the same parent.
      return combinator === '>' && outcome === 'no' ? 'none before' : outcome;
    };
  return (element) => {
    if (!matchesItself(element)) return 'no';
    for (let candidate = step(element); candidate !== null; candidate = step(candidate)) {
      const outcome = before(candidate);
      if (outcome === 'yes' || outcome === 'none above' || outcome === end) return outcome;
    }
    return end;
  };
}

type Step = (element: TreeElement) => TreeElement | null;

const earlier: Step = (element) => element.previousElementSibling;
const above: Step = (element) => element.parentElement;

function compoundTest(conditions: readonly Condition[]): Test {
  const tests = conditions.map(conditionTest);
  return tests.length === 1 ? tests[0]! : (element) => tests.every((test) => test(element));
}

function conditionTest(condition: Condition): Test {
  switch (condition.kind) {
    case 'type': {
      const { name } = condition;
      const lower = name.toLowerCase();
      return ({ localName, isHtml }) => localName === (isHtml ? lower : name);
    }
    case 'id':
      return nameTest('id', condition.name, (value, name) => value === name);
    case 'class':
      return nameTest('class', condition.name, hasWord);
    case 'attribute':
      return attributeTest(condition);
    case 'pseudo':
      return PSEUDOS[condition.name]!;
    case 'list': {
      if (condition.name === 'has') return hasTest(condition.selectors);
      const test = anyOf(condition.selectors);
      return condition.name === 'not' ? (element) => !test(element) : test;
    }
    case 'nth':
      return nthTest(condition);
    case 'lang':
      throw new Error('languages are left to jsdom');
  }
}

/** Compares class names and ids, case-insensitively in quirks mode. */
function nameTest(attribute: string, name: string, isIn: (value: string, name: string) => boolean): Test {
  const lower = name.toLowerCase();
  return (element) => {
    const value = element.getAttribute(attribute);
    if (value === null) return false;
    return element.ownerDocument?.isQuirks ? isIn(value.toLowerCase(), lower) : isIn(value, name);
  };
}

const WHITE = /[\t\n\f\r ]/;

function hasWord(words: string, word: string): boolean {
  if (!words.includes(word)) return false;
  return words === word || words.split(WHITE).includes(word);
}

function attributeTest({ name, operator, value, flag }: Condition & { kind: 'attribute' }): Test {
  const inAnyCase = flag === 'i' || (flag === '' && ANY_CASE.has(name.toLowerCase()));
  const foldedValue = inAnyCase ? value.toLowerCase() : value;
  return (element) => {
    const actual = element.getAttribute(name);
    if (actual === null || operator === '') return actual !== null;
    const mayFold = inAnyCase && (flag === 'i' || element.isHtml);
    return matchesValue(mayFold ? actual.toLowerCase() : actual, operator, mayFold ? foldedValue : value);
  };
}

function matchesValue(actual: string, operator: string, expected: string): boolean {
  if (operator === '=') return actual === expected;
  if (operator === '|=') return actual === expected || actual.startsWith(`${expected}-`);
  if (expected === '') return false;
  if (operator === '~=') return hasWord(actual, expected);
  if (operator === '^=') return actual.startsWith(expected);
  return operator === '$=' ? actual.endsWith(expected) : actual.includes(expected);
}

/** `:has`: whether an element related to this one matches a selector. */
function hasTest(selectors: readonly Selector[]): Test {
  const tests = selectors.map((selector) => {
    // The first compound is relative to the element under test.
    let anchor: TreeElement | null = null;
    const [first, ...others] = selector;
    const tied = compoundTest(first!.conditions);
    const isTied: Test = (element) => tied(element) && isRelated(element, anchor!, first!.combinator);
    const test = chainTest(isTied, others);
    const isSibling = /[+~]/.test(first!.combinator);
    return (element: TreeElement): boolean => {
      const outer = anchor;
      anchor = element;
      const root = isSibling ? element.parentNode : element;
      try {
        if (root === null) return false;
        let node = isSibling ? after(element, root) : following(element, root);
        for (; node !== null; node = following(node, root))
          if (node.nodeType === ELEMENT && test(node as TreeElement)) return true;
        return false;
      } finally {
        anchor = outer;
      }
    };
  });
  return (element) => tests.some((test) => test(element));
}

/** The next node after an element and its content. */
function after(element: TreeElement, root: TreeNode): TreeNode | null {
  for (let at: TreeNode | null = element; at !== null && at !== root; at = at.parentNode)
    if (at.nextSibling !== null) return at.nextSibling;
  return null;
}

function isRelated(element: TreeElement, anchor: TreeElement, combinator: string): boolean {
  if (combinator === '>') return element.parentNode === anchor;
  if (combinator === '+') return element.previousElementSibling === anchor;
  const step = combinator === '~' ? earlier : above;
  let candidate = step(element);
  while (candidate !== null && candidate !== anchor) candidate = step(candidate);
  return candidate === anchor;
}

function nthTest({ name, a, b }: Condition & { kind: 'nth' }): Test {
  const ofType = name.endsWith('of-type');
  const fromEnd = name.includes('last');
  const known = new WeakMap<TreeNode, ReadonlyMap<TreeElement, number>>();
  return (element) => {
    const parent = element.parentNode;
    if (parent === null) return false;
    const positions = known.get(parent) ?? positionsIn(parent, fromEnd, ofType);
    known.set(parent, positions);
    const n = (positions.get(element) ?? 0) - b;
    return a === 0 ? n === 0 : n % a === 0 && n / a >= 0;
  };
}

/** Positions of all children, from 1, computed at once: one by one would be quadratic. The tree must not change. */
function positionsIn(parent: TreeNode, fromEnd: boolean, ofType: boolean): ReadonlyMap<TreeElement, number> {
  const positions = new Map<TreeElement, number>();
  const counts = new Map<string, number>();
  for (const element of fromEnd ? parent.children.toReversed() : parent.children) {
    const type = ofType ? `${element.namespaceURI} ${element.localName}` : '';
    const position = (counts.get(type) ?? 0) + 1;
    counts.set(type, position);
    positions.set(element, position);
  }
  return positions;
}

function isEmpty(element: TreeElement): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType === ELEMENT || node.nodeType === TEXT) return false;
  return true;
}

const isFirst: Test = ({ previousElementSibling }) => previousElementSibling === null;
const isLast: Test = ({ nextElementSibling }) => nextElementSibling === null;
const isFirstOfType = nthTest({ kind: 'nth', name: 'nth-of-type', a: 0, b: 1, of: null });
const isLastOfType = nthTest({ kind: 'nth', name: 'nth-last-of-type', a: 0, b: 1, of: null });
const isLink: Test = (element) => /^(?:a|area)$/.test(element.localName) && element.hasAttribute('href');

const PSEUDOS: Readonly<Record<string, Test>> = {
  root: ({ parentNode }) => parentNode?.nodeType === DOCUMENT,
  empty: isEmpty,
  'first-child': isFirst,
  'last-child': isLast,
  'only-child': (element) => isFirst(element) && isLast(element),
  'first-of-type': isFirstOfType,
  'last-of-type': isLastOfType,
  'only-of-type': (element) => isFirstOfType(element) && isLastOfType(element),
  link: isLink,
  'any-link': isLink,
};
