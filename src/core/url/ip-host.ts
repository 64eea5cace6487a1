/** Hosts that are addresses: dotted IPv4 and bracketed IPv6 (RFC 3986 §3.2.2). */

/** Four decimal numbers up to 255, separated by dots. The result is the same for reversed labels. */
export function hasIpv4Form(host: string): boolean {
  // Nearly all hosts end in a letter, so the last character decides most calls.
  const last = host.charCodeAt(host.length - 1);
  if (!(last >= 0x30 && last <= 0x39) || host.length < 7 || host.length > 15) return false;
  const octets = host.split('.');
  return octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255);
}

/** The labels of a host, in order; an address is a single one (Nutch `URLUtil.getHostSegments`). */
export function hostLabels(host: string): string[] {
  return isIpHost(host) ? [host] : host.split('.');
}

/** A host without the brackets of an IPv6 address, which URLs have and sockets do not. */
export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Whether a host, as written in a URL, is an address: `192.0.2.1`, `[2001:db8::1]`. */
export function isIpHost(host: string): boolean {
  return host.startsWith('[') || hasIpv4Form(host);
}
