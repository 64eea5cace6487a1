/** User info of URLs (`http://user:password@host/`): credentials, which are neither stored with seeds nor shown. */

/** At the beginning of a seed line, also of one that is commented out. */
const OF_SEED = /^(\s*(?:#\s*)?(?:https?|ftp):[/\\]*)[^/\\?#\t]*@/i;
/** In the column `sitemaps:` of a seed line. */
const OF_SITEMAPS = /(\tsitemaps:| )((?:https?|ftp):\/\/)[^/\\?#\s]*@/gi;
/** At the beginning of a URL, or of a reference without a scheme. */
const OF_URL = /^((?:https?|ftp):[/\\]*|(?:[a-z][a-z\d+.-]*:)?[/\\]{2})[^/\\?#]*@/i;
const ANYWHERE = /((?:https?|ftp):[/\\]+)[^/\\?#\s]*@/gi;
/** In a URL that is percent-encoded, as in a path; `(25)*` if that was done several times. Its delimiters are encoded as often. */
const ENCODED =
  /((?:https?|ftp)%((?:25)*)3A(?:[/\\]|%\2(?:2F|5C))+)(?:(?!%\2(?:2F|5C|3F|23))[^/\\?#\s])*(@|%\2(?:40))/gi;

/** The message for a seed line that had user info, to follow its name. */
export const USER_INFO_LEFT_OUT =
  'has user info, which is left out: credentials are set in http.auth.rules (ftp: ftp.username, ftp.password)';

/** A seed line without the user info of its URLs, which INJECT would leave out too. */
export const withoutUserInfo = (line: string): string =>
  line.includes('@') ? line.replace(OF_SEED, '$1').replace(OF_SITEMAPS, '$1$2') : line;

/** A URL that a site names, without its user info. */
export const urlWithoutUserInfo = (url: string): string => (url.includes('@') ? url.replace(OF_URL, '$1') : url);

/** A text with the user info of all its URLs replaced, also of percent-encoded ones. */
export const maskedUserInfo = (text: string, mask: string): string =>
  text.replace(ANYWHERE, `$1${mask}@`).replace(ENCODED, `$1${mask}$3`);
