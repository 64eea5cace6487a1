import type { JobInfo, JobProgress } from '../job/job.dto.js';

const times = { createdAt: '2026-11-20T02:40:00.000Z', startedAt: '2026-11-20T02:40:00.000Z', endedAt: null };
const common = { confId: 'default', crawlId: 'k1', result: null, paused: false };

const inject: JobInfo = {
  ...common,
  ...times,
  id: 'k1-default-INJECT-2',
  type: 'INJECT',
  args: { seedName: 'seed-1763600000000-1' },
  state: 'IDLE',
  msg: 'idle',
  parent: 'k1-default-CRAWL-1',
  round: 0,
  startedAt: null,
};

export const crawlExample: JobProgress = {
  ...common,
  ...times,
  id: 'k1-default-CRAWL-1',
  type: 'CRAWL',
  args: { scope: 'host', seedName: 'seed-1763600000000-1' },
  state: 'RUNNING',
  msg: 'OK: round 0, INJECT',
  parent: null,
  round: null,
  counters: {},
  waitsFor: [],
  children: [inject],
};
