/**
 * Internationalized host names (RFC 5890; UTS 46 as in the WHATWG URL Standard).
 *
 * Two standards disagree about four characters. IDNA 2003 maps `ß` to `ss`, final sigma to sigma, and drops the two
 * joiners; IDNA 2008 keeps them. Browsers and resolved links follow 2008; `urlnormalizer.basic.host.idna2008` selects it.
 */
import { domainToASCII, domainToUnicode } from 'node:url';

/** The four characters on which the standards disagree, and their mapping in IDNA 2003. */
const deviations: Readonly<Record<string, string>> = { ß: 'ss', ẞ: 'ss', ς: 'σ', '\u200c': '', '\u200d': '' };
const ANY_DEVIATION = /[ßẞς\u200c\u200d]/gu;

const ASCII_ONLY = /^[\x21-\x7e]*$/;
/** Characters that `domainToASCII` would skip or stop at, as it parses a name like the host of a URL. */
const NOT_OF_NAME = /[\t\n\r/?#\\@:%]/;

/** The ASCII form of a host in lower case; null for an invalid name. */
export function hostToAscii(host: string, idna2008 = true): string | null {
  const mapped = idna2008 ? host : host.replace(ANY_DEVIATION, (c) => deviations[c] ?? '');
  // An ASCII name without xn-- labels needs no conversion, and may contain characters (`_`) that DNS allows.
  if (ASCII_ONLY.test(mapped) && !/xn--/i.test(mapped)) return mapped.toLowerCase();
  if (NOT_OF_NAME.test(mapped)) return null;
  const ascii = domainToASCII(mapped);
  return ascii === '' ? null : ascii;
}

/** The form in which hosts of rules and URLs are compared: ASCII if valid, else as written, in lower case. */
export const hostForRules = (host: string): string => hostToAscii(host) ?? host.toLowerCase();

/** The Unicode form of a host in lower case; a label that would not convert back to the same ASCII stays in ASCII. */
export function hostToUnicode(host: string, idna2008 = true): string | null {
  const ascii = hostToAscii(host, idna2008);
  if (ascii === null) return null;
  return ascii
    .split('.')
    .map((label) => unicodeLabel(label, idna2008))
    .join('.');
}

function unicodeLabel(label: string, idna2008: boolean): string {
  if (!label.startsWith('xn--')) return label;
  const unicode = domainToUnicode(label);
  if (unicode === '') return label;
  return idna2008 || unicode.search(ANY_DEVIATION) < 0 ? unicode : label;
}
