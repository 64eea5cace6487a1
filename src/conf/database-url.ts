/** DATABASE_URL, checked without a connection. The value may contain a password, so no message repeats it. */
import { StartError } from '../core/start-error.js';

/** Parameters that would replace what each connection of the program sends for itself. */
const OWN_PARAMETERS = [
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
  'client_encoding',
  'replication',
] as const;

/** @throws StartError `environment` */
export function readDatabaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const fault = faultOf(text);
  if (fault !== undefined) throw new StartError('environment', `DATABASE_URL ${fault}`);
  return text;
}

function faultOf(text: string): string | undefined {
  const parts = /^postgres(?:ql)?:\/\/(?:[^?\s]*@)?(?<host>[^/?#@\s]*)\S*$/.exec(text);
  if (!parts) return 'must look like postgresql://user:password@host:5432/database';
  // A unix socket needs no host.
  const url = URL.parse(text.replace('@/', '@localhost/').replace(/^(\w+:\/\/)(?=\/)/, '$1localhost'));
  if ([parts.groups?.['host'], url?.searchParams.get('host')].some((host) => host?.includes(',')))
    return 'names several hosts: give one name or address that leads to the primary';
  if (!url) return 'is no URL: characters such as / and # of a password must be encoded, as %2F and %23';
  const own = OWN_PARAMETERS.find((name) => url.searchParams.has(name));
  return own && `must not set ${own}: the program sets it in its sessions; for other settings use "alter role … set"`;
}
