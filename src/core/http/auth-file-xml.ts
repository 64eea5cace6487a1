/**
 * Nutch's httpclient-auth.xml: `credentials` with `username` and `password`, in them `authscope` elements with `host`, `port`
 * (none or -1: any) and `realm` (none: any). Credentials for any host (`default`, a scope without a host) are refused: we send a
 * password to named hosts only. NTLM is refused, too. Comments are skipped; document types and unknown elements are refused.
 */
import { type AuthRule, readAuthority } from './auth-rules.js';
import { Parser } from 'htmlparser2';
import { RuleError } from '../url/linear-regex.js';

const MAX_RULES = 10_000;

/** Reads the file. The number of a rule is that of its `credentials`. @throws RuleError, whose text contains no secret */
export function authRulesOfXml(xml: string): AuthRule[] {
  const rules: AuthRule[] = [];
  const open: string[] = [];
  let number = 0;
  let login = { user: '', password: '' };
  const refuse = (reason: string): never => {
    throw new RuleError({ number, text: 'httpclient-auth.xml' }, null, `XML: ${reason}`);
  };
  const starts: Record<string, (attributes: Readonly<Record<string, string>>) => void> = {
    'auth-configuration': () => open.length === 1 || refuse('auth-configuration must be the root element'),
    credentials: ({ username = '', password = '' }) => {
      number += 1;
      if (open[0] !== 'auth-configuration' || open.length !== 2) refuse('credentials belong in auth-configuration');
      if (username === '' || username.includes(':')) refuse('credentials need a username without a colon');
      login = { user: username, password };
    },
    authscope: ({ host = '', port = '', realm = '', scheme = '' }) => {
      if (open.at(-2) !== 'credentials') refuse('authscope belongs in credentials');
      if (scheme.toLowerCase() === 'ntlm') refuse('NTLM is not supported');
      if (host === '') refuse('an authscope needs a host: credentials go to hosts that are named');
      if (rules.length === MAX_RULES) refuse(`more than ${MAX_RULES} scopes`);
      const authority = readAuthority(port === '' || port === '-1' ? host : `${host}:${port}`);
      rules.push({ ...(authority ?? refuse('host or port cannot be read')), realm: realm || '*', ...login });
    },
    default: () => refuse('credentials for any host are not sent: name it in an authscope'),
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open.push(name);
        (starts[name] ?? (() => refuse(`unknown element ${name.slice(0, 40)}`)))(attributes);
      },
      onclosetag: () => void open.pop(),
      onprocessinginstruction: (name) => void (name.startsWith('!') && refuse('no document type is allowed')),
      onend: () => void (number === 0 && !xml.includes('<auth-configuration') && refuse('no auth-configuration')),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  // Before `end`, which closes what is open.
  if (open.length > 0) refuse(`the file ends within ${open.at(-1)!.slice(0, 40)}`);
  parser.end();
  return rules;
}
