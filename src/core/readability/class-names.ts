/** Classifies elements by words in their classes and ids, with the word lists of Readability. */
import type { TreeElement } from '../tree/element.js';

const UNLIKELY =
  /-ad-|ai2html|banner|breadcrumbs|combx|comment|community|cover-wrap|disqus|extra|footer|gdpr|header|legends|menu|related|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental|ad-break|agegate|pagination|pager|popup|yom-remote/i;
const LIKELY_AFTER_ALL = /and|article|body|column|content|main|shadow/i;
const POSITIVE = /article|body|content|entry|hentry|h-entry|main|page|pagination|post|text|blog|story/i;
const NEGATIVE =
  /-ad-|hidden|^hid$| hid$| hid |^hid |banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain|promo|related|scroll|share|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget/i;
const BYLINE = /byline|author|dateline|writtenby|p-author/i;
const SHARE = /(\b|_)(share|sharedaddy)(\b|_)/i;

interface Words {
  readonly isUnlikely: boolean;
  readonly isLikely: boolean;
  readonly isByline: boolean;
  readonly isShare: boolean;
  /** Added to the score of the element. */
  readonly weight: number;
}

const NONE: Words = { isUnlikely: false, isLikely: false, isByline: false, isShare: false, weight: 0 };

/** Cache of classified names: pages of a site have the same ones. */
const known = new Map<string, Words>();
const MAX_KNOWN = 2_000;
const MAX_LENGTH = 100;

function judgeClasses(name: string | null): Words {
  if (name === null || name === '') return NONE;
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const words = {
    isUnlikely: UNLIKELY.test(name),
    isLikely: LIKELY_AFTER_ALL.test(name),
    isByline: BYLINE.test(name),
    isShare: SHARE.test(name),
    weight: (NEGATIVE.test(name) ? -25 : 0) + (POSITIVE.test(name) ? 25 : 0),
  };
  if (known.size >= MAX_KNOWN) known.clear();
  // Copied, as a substring would keep the whole page in memory.
  if (name.length <= MAX_LENGTH) known.set(` ${name}`.slice(1), words);
  return words;
}

const either = (element: TreeElement, which: 'isUnlikely' | 'isLikely' | 'isByline' | 'isShare'): boolean =>
  judgeClasses(element.getAttribute('class'))[which] || judgeClasses(element.getAttribute('id'))[which];

/** Whether it is likely navigation, comments or advertising, by its names. */
export const isUnlikely = (element: TreeElement): boolean =>
  either(element, 'isUnlikely') && !either(element, 'isLikely');

export const saysByline = (element: TreeElement): boolean => either(element, 'isByline');

export const saysShare = (element: TreeElement): boolean => either(element, 'isShare');

export const classWeight = (element: TreeElement): number =>
  judgeClasses(element.getAttribute('class')).weight + judgeClasses(element.getAttribute('id')).weight;
