/** Detects elements that are unlikely to be content, by text, links, images, form fields and names. */
import { type Contents, contentsOf } from '../tree/contents.js';
import type { TreeElement } from '../tree/element.js';
import { classWeight } from './class-names.js';
import { standsIn } from './elements.js';

/** Video players of these sites are kept. */
export const VIDEO =
  /\/\/(www\.)?((dailymotion|youtube|youtube-nocookie|player\.vimeo|v\.qq)\.com|(archive|upload\.wikimedia)\.org|player\.twitch\.tv)/i;
const AD = /^(ad(vertising|vertisement)?|pub(licité)?|werb(ung)?|广告|Реклама|Anuncio)$/iu;
const LOADING = /^((loading|正在加载|Загрузка|chargement|cargando)(…|\.\.\.)?)$/iu;
/** Longer texts are not tested for ad words. */
const MAX_AD = 20;

export interface Rules {
  readonly dataTables: ReadonlySet<TreeElement>;
  readonly weighsClasses: boolean;
}

/** Whether to remove an element. */
export function looksLikeNone(element: TreeElement, { dataTables, weighsClasses }: Rules): boolean {
  const contents = contentsOf(element);
  const isData = (table: TreeElement) => dataTables.has(table);
  if (isData(element) || standsIn(element, 'TABLE', Infinity, isData) || standsIn(element, 'CODE')) return false;
  if (dataTables.size > 0 && contents.kinds.tables > 0 && element.getElementsByTagName('table').some(isData))
    return false;
  const weight = weighsClasses ? classWeight(element) : 0;
  if (weight < 0) return true;
  if (contents.latinCommas >= 10) return false;
  if (contents.kinds.embedded > 0 && hasVideo(element)) return false;
  if (contents.length <= MAX_AD && saysAd(element.textContent)) return true;
  const isList = element.tagName === 'UL' || contents.kinds.listText / contents.length > 0.9;
  if (!looksBad(contents, { isList, weight, isInFigure: standsIn(element, 'FIGURE') })) return false;
  return !(isList && isListOfPictures(element, contents));
}

const saysAd = (text: string): boolean => {
  const words = text.trim().replaceAll(/\s{2,}/g, ' ');
  return AD.test(words) || LOADING.test(words);
};

const hasVideo = (element: TreeElement): boolean =>
  element
    .querySelectorAll('object,embed,iframe')
    .some(({ attributes }) => attributes.some(({ value }) => VIDEO.test(value)));

interface About {
  readonly isList: boolean;
  readonly weight: number;
  readonly isInFigure: boolean;
}

function looksBad(contents: Contents, { isList, weight, isInFigure }: About): boolean {
  const { length, linkDensity, kinds } = contents;
  const { paragraphs, images, inputs, embedded } = kinds;
  if (!isInFigure && images > 1 && paragraphs / images < 0.5) return true;
  if (!isList && kinds.items - 100 > paragraphs) return true;
  if (inputs > Math.floor(paragraphs / 3)) return true;
  if (!isList && !isInFigure && isShort(contents)) return true;
  if (!isList && weight < 25 && linkDensity > 0.2) return true;
  if (weight >= 25 && linkDensity > 0.5) return true;
  if (embedded > 1 || (embedded === 1 && length < 75)) return true;
  return images === 0 && (length === 0 || kinds.textualText === 0);
}

/** Whether it has only little text, with links, and hardly any heading. */
function isShort({ length, kinds, linkDensity }: Contents): boolean {
  const { headingText, images } = kinds;
  const headingDensity = length === 0 ? 0 : headingText / length;
  return headingDensity < 0.9 && length < 25 && (images === 0 || images > 2) && linkDensity > 0;
}

/** Whether each item of a list contains an image and nothing else. */
function isListOfPictures(list: TreeElement, { kinds: { images, items } }: Contents): boolean {
  return images === items && list.children.every(({ children }) => children.length <= 1);
}
