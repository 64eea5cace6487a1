import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeComplaint } from '../../src/commands/node-version.js';
import { withoutPassword } from '../../src/commands/database.js';
import { refuseUnheededAuth } from '../../src/conf/credentials.js';
import { isLoopback, readEnv } from '../../src/conf/env.js';
import { StartError } from '../../src/core/start-error.js';

const SECRET = 'a-secret-of-24-characters';
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const DATABASE_URL = 'postgresql://crawler:hidden@db.example:5432/crawl';

describe('readEnv', () => {
  it('has a default for everything', () => {
    expect(readEnv({})).toEqual({
      port: 8081,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: resolve('data'),
      role: 'all',
      workers: Math.min(4, availableParallelism()),
      apiKeys: [],
      requestRate: 200,
      waitingJobsPerKey: 500,
      searchCache: 128,
      allowedHosts: [],
      confFile: undefined,
      logLevel: 'info',
      apiConnections: 20,
      workerConnections: 12,
    });
  });

  it('treats an empty variable as unset, as compose files write them', () => {
    expect(readEnv({ PORT: '', HOST: ' ', DATABASE_URL: '', API_KEYS: '', AUTH: '' })).toEqual(readEnv({}));
  });

  it('reads every variable', () => {
    const env = readEnv({
      PORT: '0',
      HOST: '::1',
      DATABASE_URL,
      DATA_DIR: '/srv/orbweaver',
      ROLE: 'api',
      WORKERS: '7',
      WORKER_SLOTS: '5',
      WORKER_MEMORY: '900',
      API_KEYS: SECRET,
      METRICS_TOKEN: `${SECRET}-for-metrics`,
      REQUEST_RATE: '17',
      WAITING_JOBS_PER_KEY: '18',
      SEARCH_CACHE: '512',
      ALLOWED_HOSTS: 'crawler.example, crawler',
      CONF_FILE: 'crawl.yaml',
      PLUGIN_DIR: '/srv/plugins',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
      DB_POOL_API: '19',
      DB_POOL_WORKER: '21',
    });
    expect(env).toEqual({
      port: 0,
      host: '::1',
      databaseUrl: DATABASE_URL,
      dataDir: '/srv/orbweaver',
      role: 'api',
      workers: 7,
      workerSlots: 5,
      workerMemory: 900,
      apiKeys: [
        expect.objectContaining({ sha256: sha256(SECRET), scope: 'admin' }),
        expect.objectContaining({ sha256: sha256(`${SECRET}-for-metrics`), scope: 'metrics' }),
      ],
      requestRate: 17,
      waitingJobsPerKey: 18,
      searchCache: 512,
      allowedHosts: ['crawler.example', 'crawler'],
      confFile: 'crawl.yaml',
      pluginDir: '/srv/plugins',
      logLevel: 'debug',
      logFormat: 'json',
      apiConnections: 19,
      workerConnections: 21,
    });
    expect(readEnv({ ALLOWED_HOSTS: '*' }).allowedHosts).toEqual(['*']);
  });

  it.each([
    [{ PORT: '80a' }, 'PORT="80a" is not a whole number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT="65536" is not a whole number from 0 to 65535'],
    [{ PORT: '-1' }, 'PORT="-1" is not a whole number from 0 to 65535'],
    [{ WORKERS: '0' }, 'WORKERS="0" is not a whole number from 1 to 64'],
    [{ DB_POOL_API: '3' }, 'DB_POOL_API="3" is not a whole number from 4 to 200'],
    [{ DB_POOL_WORKER: '201' }, 'DB_POOL_WORKER="201" is not a whole number from 4 to 200'],
    [{ LEASE_SECONDS: '21' }, 'LEASE_SECONDS="21" is not a whole number from 2 to 20'],
    [{ LEASE_SECONDS: '1' }, 'LEASE_SECONDS="1" is not a whole number from 2 to 20'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT="xml" is unknown; allowed: json, text'],
    [{ METRICS_TOKEN: SECRET }, 'METRICS_TOKEN needs API_KEYS or RESTAPI_AUTH=BASIC'],
    [{ METRICS_TOKEN: 'short', API_KEYS: SECRET }, 'METRICS_TOKEN must be at least 16'],
    [{ METRICS_TOKEN: SECRET, API_KEYS: SECRET }, 'METRICS_TOKEN is also a key of API_KEYS'],
    [{ RESTAPI_AUTH: 'BASIC', RESTAPI_AUTH_USERS: ' , ' }, 'RESTAPI_AUTH_USERS is set and has no user in it'],
    [{ ALLOWED_HOSTS: 'a.test,http://b.test' }, 'ALLOWED_HOSTS entry "http://b.test" is not a host name'],
    [{ ALLOWED_HOSTS: 'a.test:8081' }, 'ALLOWED_HOSTS entry "a.test:8081" is not a host name'],
    [{ ALLOWED_HOSTS: '*.test' }, 'ALLOWED_HOSTS entry "*.test" is not a host name'],
    [{ WORKERS: '1e3' }, 'WORKERS="1e3" is not a whole number from 1 to 64'],
    [{ ROLE: 'boss' }, 'ROLE="boss" is unknown; allowed: all, api, worker'],
    [{ REQUEST_RATE: '0' }, 'REQUEST_RATE="0" is not a whole number from 1 to 100000'],
    [{ WAITING_JOBS_PER_KEY: '1001' }, 'WAITING_JOBS_PER_KEY="1001" is not a whole number from 1 to 1000'],
    [{ SEARCH_CACHE: '15' }, 'SEARCH_CACHE="15" is not a whole number from 16 to 65536'],
    [{ AUTH: 'maybe' }, 'AUTH="maybe" is unknown; allowed: keys, none'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL="loud" is unknown; allowed: fatal, error, warn, info, debug, trace, silent'],
    [{ HOST: 'a b' }, 'HOST="a b" is not a host name or address'],
    [{ ROLE: 'worker' }, /^ROLE=worker needs DATABASE_URL/],
    [{ ROLE: 'api' }, /^ROLE=api needs DATABASE_URL/],
  ])('refuses %j in one line that names the variable and what is allowed', (variables, message) => {
    expect(() => readEnv(variables)).toThrow(message);
  });

  it('refuses a DATABASE_URL of another database without repeating it', () => {
    expect(() => readEnv({ DATABASE_URL: 'mysql://root:hidden@db/crawl' })).toThrow(
      /^DATABASE_URL must look like postgresql:/,
    );
    expect(() => readEnv({ DATABASE_URL: 'mysql://root:hidden@db/crawl' })).not.toThrow(/hidden/);
  });

  it.each([
    [
      'postgresql://a:hidden@one:5432,two:5432/c?target_session_attrs=any',
      /^DATABASE_URL names several hosts: give one/,
    ],
    ['postgresql://a:hidden@/c?host=/one,/two', /^DATABASE_URL names several hosts: give one/],
    [
      'postgresql://a:hidden/1@one/c',
      /^DATABASE_URL is no URL: characters such as . and # of a password must be encoded/,
    ],
    [
      'postgresql://a:hidden@one/c?options=-c%20search_path%3Dx',
      /^DATABASE_URL must not set options: the program sets/,
    ],
    ['postgresql://a:hidden@one/c?statement_timeout=1000', /^DATABASE_URL must not set statement_timeout: /],
  ])('refuses %s, and says what to change', (DATABASE_URL, message) => {
    expect(() => readEnv({ DATABASE_URL })).toThrow(message);
    expect(() => readEnv({ DATABASE_URL })).not.toThrow(/hidden/);
  });

  it.each([
    'postgresql:///c?host=/run/postgresql',
    'postgresql://a@/c?host=/run/postgresql&port=5433',
    'postgresql://a@%2Frun%2Fpostgresql/c',
    'postgres://a:p,q%40@[::1]:5432/c?application_name=crawler&sslmode=verify-full',
    'postgresql://a:p%@one',
  ])('takes %s as it is', (DATABASE_URL) => expect(readEnv({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL));

  it('reports errors as StartError on one line with exit code 2', () => {
    const error = new StartError('environment', 'first\n  second');
    expect(error).toMatchObject({ message: 'first second', exitCode: 2 });
  });
});

describe('a host reachable by others (reliability A1)', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '[::1]', 'localhost'])('%s requires no credentials', (HOST) => {
    expect(readEnv({ HOST }).apiKeys).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '10.1.2.3', 'crawler.example', '::ffff:127.0.0.1', '127.0.0.1.example'])(
    '%s is refused without API_KEYS',
    (HOST) => {
      expect(() => readEnv({ HOST })).toThrow(/would open the API to others without credentials/);
    },
  );

  it('is allowed with keys, with AUTH=none, and for a worker, which opens no port', () => {
    expect(readEnv({ HOST: '0.0.0.0', API_KEYS: SECRET }).host).toBe('0.0.0.0');
    expect(readEnv({ HOST: '0.0.0.0', AUTH: 'none' }).host).toBe('0.0.0.0');
    expect(readEnv({ HOST: '0.0.0.0', ROLE: 'worker', DATABASE_URL }).role).toBe('worker');
  });

  it('has no effect on a worker, which ignores the variables of authentication', () => {
    const worker = { ROLE: 'worker', DATABASE_URL };
    expect(readEnv({ ...worker, METRICS_TOKEN: SECRET }).apiKeys).toEqual([]);
    expect(readEnv({ ...worker, API_KEYS: SECRET, AUTH: 'keys' }).apiKeys).toEqual([]);
    expect(readEnv({ ...worker, RESTAPI_AUTH: 'BASIC' }).apiKeys).toEqual([]);
  });

  it('is refused with contradictory variables', () => {
    expect(() => readEnv({ AUTH: 'none', API_KEYS: SECRET })).toThrow('AUTH=none contradicts API_KEYS');
    expect(() => readEnv({ AUTH: 'keys' })).toThrow('AUTH=keys needs API_KEYS');
  });

  it('is recognised by the full address, not by its prefix', () => {
    expect(isLoopback('127.1')).toBe(false);
    expect(isLoopback('127.0.0.1.example')).toBe(false);
  });
});

describe('API_KEYS', () => {
  it('yields scopes and hashes, not secrets', () => {
    expect(readEnv({ API_KEYS: `read:r-${SECRET}, run:x-${SECRET},${SECRET}` }).apiKeys).toEqual([
      { scope: 'read', sha256: sha256(`r-${SECRET}`) },
      { scope: 'run', sha256: sha256(`x-${SECRET}`) },
      { scope: 'admin', sha256: sha256(SECRET) },
    ]);
  });

  it.each([
    ['short', /entry 1 needs a secret of at least 16/],
    [`${SECRET},read:short`, /entry 2 needs a secret of at least 16/],
    [`root:${SECRET}`, /entry 1 has an unknown scope; allowed: read, run, admin/],
    [`admin:with blank in the middle`, /entry 1 needs a secret/],
    [`read:run:${SECRET}`, /^API_KEYS entry 1 has the name of a scope as its name: "read"/],
    [`read:${SECRET},x-${SECRET},ann:admin:${SECRET}`, /^API_KEYS entries 1 and 3 have the same secret and different/],
    [',', /^API_KEYS is set and has no key in it/],
  ])('refuses %s by the number of the entry, without repeating it', (API_KEYS, message) => {
    expect(() => readEnv({ API_KEYS })).toThrow(message);
    expect(() => readEnv({ API_KEYS })).not.toThrow(new RegExp(SECRET));
  });
});

it('a key may stand twice in API_KEYS with one scope, as while it gets a name', () => {
  const keys = readEnv({ API_KEYS: `run:${SECRET},ann:run:${SECRET}` }).apiKeys;
  expect(keys.map(({ name, scope }) => [name, scope])).toEqual([
    [undefined, 'run'],
    ['ann', 'run'],
  ]);
});

describe('API_KEYS with a name', () => {
  it('reads name, scope and secret, which may contain colons', () => {
    expect(readEnv({ API_KEYS: `ann:run:${SECRET},read:a:${SECRET}` }).apiKeys).toEqual([
      { name: 'ann', scope: 'run', sha256: sha256(SECRET) },
      { scope: 'read', sha256: sha256(`a:${SECRET}`) },
    ]);
  });

  it('refuses an invalid name', () => {
    expect(() => readEnv({ API_KEYS: `1st:run:${SECRET}` })).toThrow(
      /^API_KEYS entry 1 has a bad name; allowed: a letter/,
    );
  });
});

describe('RESTAPI_AUTH and its users (restapi.auth of Nutch 2.x)', () => {
  const PASSWORD = 'pass:word of ann';
  const users = (RESTAPI_AUTH_USERS: string | undefined, RESTAPI_AUTH = 'BASIC') => ({
    RESTAPI_AUTH,
    RESTAPI_AUTH_USERS,
  });

  it('BASIC accepts users with the roles admin and user, and allows hosts beyond loopback', () => {
    const { apiKeys } = readEnv({ HOST: '0.0.0.0', ...users(`ann|${PASSWORD}|admin, bob|${PASSWORD}|USER`) });
    expect(apiKeys).toEqual([
      { name: 'ann', scope: 'admin', sha256: sha256(`ann:${PASSWORD}`), isUser: true },
      { name: 'bob', scope: 'user', sha256: sha256(`bob:${PASSWORD}`), isUser: true },
    ]);
  });

  it('NONE, the default of Nutch, requires no users', () => {
    expect(readEnv({ RESTAPI_AUTH: 'NONE' }).apiKeys).toEqual([]);
  });

  it.each([
    [users(undefined), /needs RESTAPI_AUTH_USERS=name\|password\|role,…; there are no default users/],
    [users(`ann|${PASSWORD}|admin`, 'NONE'), /without RESTAPI_AUTH=BASIC nobody is asked/],
    [users('admin|admin|admin,user|user|user'), /entry 1 needs a password of at least 12 characters/],
    [users(`ann|${PASSWORD}|boss`), /entry 1 must be name\|password\|role, with role admin or user/],
    [users(`ann|${PASSWORD}`), /entry 1 must be name\|password\|role/],
    [users(`ann|${PASSWORD}|user|more`), /entry 1 must be name\|password\|role/],
    [users(`a n|${PASSWORD}|user`), /entry 1 has a bad name/],
    [users(`ann|${PASSWORD}|user,ann|${PASSWORD}|admin`), /names ann twice/],
    [users(undefined, 'DIGEST'), /^RESTAPI_AUTH=DIGEST is not offered: it needs passwords kept/],
    [users(undefined, 'ssl'), /^RESTAPI_AUTH=SSL is not offered: put a proxy that speaks TLS in front/],
    [users(undefined, 'maybe'), /^RESTAPI_AUTH="maybe" is unknown; allowed: NONE, BASIC/],
    [{ ...users(`ann|${PASSWORD}|user`), AUTH: 'none' }, /^AUTH=none contradicts/],
  ])('refuses %j in one line, without the password', (variables, message) => {
    expect(() => readEnv(variables)).toThrow(message);
    expect(() => readEnv(variables)).not.toThrow(new RegExp(PASSWORD));
  });
});

describe('a CONF_FILE with restapi.auth', () => {
  const keys = readEnv({ API_KEYS: SECRET }).apiKeys;

  it.each(['BASIC', 'digest', 'SSL', true])('of %j is refused on a server without keys', (method) => {
    expect(() => refuseUnheededAuth({ 'restapi.auth': method }, [])).toThrow(/^CONF_FILE has restapi.auth/);
    expect(() => refuseUnheededAuth({ 'restapi.auth': method }, keys)).not.toThrow();
  });

  it.each([{}, { 'restapi.auth': 'NONE' }, { 'restapi.auth': 'none' }])('of %j is accepted', (params) => {
    expect(() => refuseUnheededAuth(params, [])).not.toThrow();
  });
});

describe('texts of the start', () => {
  it.each([
    [DATABASE_URL, 'postgresql://crawler:***@db.example:5432/crawl'],
    ['postgres://db/crawl?user=a&password=hidden', 'postgres://db/crawl?user=a&password=***'],
    ['postgres://db/crawl?x=1&sslpassword=hidden', 'postgres://db/crawl?x=1&sslpassword=***'],
    ['postgres://u:hid/den@db/crawl', 'postgres://u:***@db/crawl'],
    ['postgres://u:hid@den@db/crawl', 'postgres://u:***@db/crawl'],
    ['postgres://u:hid?den@db/crawl', 'postgres://u:***@db/crawl'],
    ['postgres://u:hid@d?en@db/crawl', 'postgres://u:***@db/crawl'],
    ['postgres://db.example/crawl', 'postgres://db.example/crawl'],
  ])('withoutPassword masks the password of %s', (url, shown) => expect(withoutPassword(url)).toBe(shown));

  it.each([
    ['v18.19.0', true],
    ['v20.20.2', true],
    ['v22.14.0', true],
    ['v22.15.0', false],
    ['v24.0.0', false],
  ])('nodeComplaint reports Node %s as too old: %s', (version, old) => {
    expect(nodeComplaint(version) !== undefined).toBe(old);
  });
});
