/** What the choice of the next step of a crawl asks of the state of a child. */
import type { Child } from './crawl-plan.js';
import { type JobState, finalStates } from './job-states.js';

export const isOpen = ({ state }: Child): boolean => !finalStates.includes(state);

/** Whether it ends its crawl: it failed, or a user has killed it, and not the whole crawl. */
export const endsCrawl = ({ state }: Child, crawlState: JobState): boolean =>
  state === 'FAILED' || (state === 'KILLED' && crawlState === 'RUNNING');
