import { describe, expect, it } from 'vitest';
import { ownPorts } from '../../src/net/own-ports.js';

describe('the ports that no fetch may reach on this machine', () => {
  it.each([
    ['of the API and the database', { connectionString: 'postgresql://u:p@127.0.0.1:5433/db' }, 8081, [8081, 5433]],
    ['of a database whose URL has none', { connectionString: 'postgresql://u@127.0.0.1/db' }, 8081, [8081, 5432]],
    ['of a database that is told by its parts', { port: 5434 }, 8081, [8081, 5434]],
    ['of a worker without an API beside it', { connectionString: 'postgresql://db.test:6432/db' }, 0, [6432]],
  ])('%s', (_, database, api, ports) => {
    expect(ownPorts(database, api)).toEqual(ports);
  });
});
