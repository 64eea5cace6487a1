/**
 * urlfilter-validator: accepts URLs that are valid by strict rules (Nutch `UrlValidator`, after Apache Commons Validator).
 *
 * ASCII without spaces; a scheme of letters; an IPv4 address or a name of two or more labels, the last of which starts
 * with a letter and has at least two characters; no user info; a port of one to five digits; a path of a small
 * alphabet that does not climb above its root. 2.x limits the length of the last label too (`urlfilter.tld.length`).
 * The reason of a rejection is returned as a rule with number 0.
 */
import type { FilterVerdict, FilterUrl } from './url-filter.js';
import { hasIpv4Form } from './ip-host.js';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** Scheme, authority, path: the components that are checked; query and fragment may contain any visible ASCII. */
const URL_COMPONENTS = /^([A-Za-z]+):\/\/([^/?#]*)([^?#]*)/;
const AUTHORITY_FORM = /^([A-Za-z0-9.-]*)(:\d{1,5})?$/;
const IPV4_FORM = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const NAME_FORM = /^[^.]+(?:\.[^.]+)+$/;
const PATH_FORM = /^(?:\/[-\w:@&?=+,.!/~*'%$;()]*)?$/;

const accepted: FilterVerdict = { accepted: true, rule: null };
const rejectedFor = (text: string): FilterVerdict => ({ accepted: false, rule: { number: 0, text } });

const notAscii = rejectedFor('only visible ASCII characters');
const noUrl = rejectedFor('a scheme of letters, and an authority');
const badAuthority = rejectedFor('a host of letters, digits, dots and dashes, and a port of 1 to 5 digits');
const badAddress = rejectedFor('an IPv4 address has four numbers up to 255');
const badName = rejectedFor('a host has two labels or more');
const badLabel = rejectedFor('the last label of a host starts with a letter and has two characters or more');
const badPath = rejectedFor("a path of letters, digits and -_:@&?=+,.!/~*'%$;()");
const climbs = rejectedFor('a path does not climb above its root');

/** @param maxLabelLength characters of the last label of a host; negative: any number */
export function makeValidator(maxLabelLength: number): FilterUrl {
  const longLabel = rejectedFor(`urlfilter.tld.length=${maxLabelLength}`);
  return (url) => {
    if (!VISIBLE_ASCII.test(url)) return notAscii;
    const [, , authority, path = ''] = URL_COMPONENTS.exec(url) ?? [];
    if (authority === undefined) return noUrl;
    const host = AUTHORITY_FORM.exec(authority)?.[1];
    if (host === undefined) return badAuthority;
    if (maxLabelLength >= 0 && !IPV4_FORM.test(host) && lastLabel(host).length > maxLabelLength) return longLabel;
    return judgeHost(host) ?? judgePath(path);
  };
}

const lastLabel = (host: string): string => host.slice(host.lastIndexOf('.') + 1);

/** Undefined for a host that is well-formed. */
function judgeHost(host: string): FilterVerdict | undefined {
  if (IPV4_FORM.test(host)) return hasIpv4Form(host) ? undefined : badAddress;
  if (!NAME_FORM.test(host)) return badName;
  return /^[A-Za-z]./.test(lastLabel(host)) ? undefined : badLabel;
}

function judgePath(path: string): FilterVerdict {
  if (!PATH_FORM.test(path)) return badPath;
  const upward = countOf(path, '..');
  const depth = countOf(path, '/') - countOf(path, '//') - 1;
  return upward > 0 && depth <= upward ? climbs : accepted;
}

/** The number of occurrences of `token` in `text`, overlapping ones too. */
export function countOf(text: string, token: string): number {
  let count = 0;
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) count++;
  return count;
}
