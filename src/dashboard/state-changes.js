/**
 * When jobs began and ended, as events of their log, oldest first. A log is read from its end, and the last events of a long FETCH
 * are all of progress.
 * @param {object[]} jobs as the API returns them
 * @param {object[]} read the events that were read from the end of their log: changes that are among them, or later, are left out
 */
export function earlierStates(jobs, read) {
  if (read.length === 0) return [];
  const known = new Set(read.filter(({ kind }) => kind === 'state').map(({ jobId, data }) => `${jobId} ${data.state}`));
  return jobs
    .flatMap(changesOf)
    .filter(({ jobId, time, data }) => time <= read[0].time && !known.has(`${jobId} ${data.state}`))
    .sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
}

function changesOf({ id, state, msg, startedAt, endedAt }) {
  const change = (time, data) => (time === null ? [] : [{ jobId: id, time, kind: 'state', data }]);
  return [...change(startedAt, { state: 'RUNNING', msg: null }), ...change(endedAt, { state, msg })];
}
