/**
 * Nutch's httpclient-auth.xml: `credentials` with `username` and `password`, in them `authscope` elements with `host`, `port`
 * (none or -1: any) and `realm` (none: any). Credentials for any host (`default`, a scope without a host) are refused: we send a
 * password to named hosts only. NTLM is refused, too. Comments are skipped; document types and unknown elements are refused.
 */
import { type AuthRule, readAuthority } from './auth-rules.js';
import { ConfXml } from '../xml/conf-xml.js';

const MAX_RULES = 10_000;

/** Reads the file. The number of a rule is that of its `credentials`. @throws RuleError, whose text contains no secret */
export function authRulesOfXml(xml: string): AuthRule[] {
  const rules: AuthRule[] = [];
  let number = 0;
  let login = { user: '', password: '' };
  const file = new ConfXml(
    'httpclient-auth.xml',
    {
      'auth-configuration': {},
      credentials: {
        within: ['auth-configuration'],
        begin({ username = '', password = '' }) {
          number += 1;
          if (username === '' || username.includes(':')) file.refuse('credentials need a username without a colon');
          login = { user: username, password };
        },
      },
      authscope: {
        within: ['credentials'],
        begin({ host = '', port = '', realm = '', scheme = '' }) {
          if (scheme.toLowerCase() === 'ntlm') file.refuse('NTLM is not supported');
          if (host === '') file.refuse('an authscope needs a host: credentials go to hosts that are named');
          if (rules.length === MAX_RULES) file.refuse(`more than ${MAX_RULES} scopes`);
          const authority = readAuthority(port === '' || port === '-1' ? host : `${host}:${port}`);
          rules.push({ ...(authority ?? file.refuse('host or port cannot be read')), realm: realm || '*', ...login });
        },
      },
      default: {
        within: ['credentials'],
        begin: () => file.refuse('credentials for any host are not sent: name it in an authscope'),
      },
    },
    () => number,
  );
  file.read(xml);
  return rules;
}
