import { useStage } from './stage.js';

/** The page for people, on one server, one browser and one crawl. What is counted on the server comes before what adds to it. */

useStage();
await import('./search.js');
await import('./counts.js');
await import('./cure.js');
await import('./crawls.js');
