/**
 * What was before the last events of a log, oldest first: when jobs began and ended, and warnings. A log is read from its end, and
 * the last events of a long FETCH are all of progress.
 * @param {object[]} jobs as the API returns them
 * @param {{ id: string, jobId: string, time: string, kind: string, data: any }[]} warnings the last ones of the log
 * @param {object[]} read the events that were read from the end of the log: what is among them, or later, is left out
 */
export function earlierEvents(jobs, warnings, read) {
  if (read.length === 0) return [];
  const known = new Set(read.filter(({ kind }) => kind === 'state').map(({ jobId, data }) => `${jobId} ${data.state}`));
  const changes = jobs
    .flatMap(changesOf)
    .filter(({ jobId, time, data }) => time <= read[0].time && !known.has(`${jobId} ${data.state}`));
  const earlier = warnings.filter(({ id }) => BigInt(id) < BigInt(read[0].id));
  return [...changes, ...earlier].sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

function changesOf({ id, state, msg, startedAt, endedAt }) {
  const change = (time, data) => (time === null ? [] : [{ jobId: id, time, kind: 'state', data }]);
  return [...change(startedAt, { state: 'RUNNING', msg: null }), ...change(endedAt, { state, msg })];
}
