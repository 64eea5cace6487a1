/**
 * Server settings for a crawl server that shares a small machine with its own Node processes. They are written to
 * `orbweaver.conf`, which postgresql.conf includes: settings of an operator below that line, or by ALTER SYSTEM, take precedence.
 */

const MIB = 1024 * 1024;

/** The input of the settings. `durable: false` is for throw-away clusters of tests: no fsync, few buffers. */
export interface Machine {
  readonly memoryBytes: number;
  readonly durable: boolean;
  /** Maximum number of connections; default 100. */
  readonly connections?: number | undefined;
}

/** Settings by name, with values in the format of postgresql.conf. */
export function serverSettings({ memoryBytes, durable, connections = 100 }: Machine): Record<string, string> {
  return {
    max_connections: String(connections),
    // A fifth of the memory: Node's workers and the page cache need the rest.
    shared_buffers: megabytes(memoryBytes / 5, 64, 4096),
    effective_cache_size: megabytes(memoryBytes / 2, 128, 65_536),
    work_mem: megabytes(memoryBytes / 256, 4, 32),
    maintenance_work_mem: megabytes(memoryBytes / 32, 32, 512),
    jit: 'off', // set-based statements over a batch are short; compiling them costs more than it saves
    random_page_cost: '1.1',
    // Page content is compressed already (zstd), and the build has no lz4: pglz would use CPU during fetches.
    wal_compression: 'off',
    max_wal_size: '4GB',
    min_wal_size: '1GB',
    checkpoint_timeout: '15min',
    checkpoint_completion_target: '0.9',
    // Crawl rows change several times a round and are pruned on the way: vacuum in small steps, with a budget that keeps up.
    autovacuum_naptime: '30s',
    autovacuum_vacuum_scale_factor: '0.15',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.1',
    autovacuum_vacuum_cost_limit: '1000',
    log_checkpoints: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(durable
      ? { fsync: 'on' }
      : {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          // Each CREATE and DROP DATABASE searches all buffers, and these clusters see hundreds.
          shared_buffers: megabytes(memoryBytes / 5, 64, 256),
        }),
  };
}

export function settingsFile(settings: Record<string, string>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return [
    '# Written by Orbweaver at every start. Put changes into postgresql.conf, below the include.',
    ...lines,
    '',
  ].join('\n');
}

function megabytes(bytes: number, min: number, max: number): string {
  return `${Math.min(max, Math.max(min, Math.floor(bytes / MIB)))}MB`;
}
