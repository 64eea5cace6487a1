import { useStage } from './stage.js';

/** The dashboard, on one server, one browser and one crawl. Specs that count rows come before those that add some. */

useStage();
await import('./search.js');
await import('./counts.js');
await import('./cure.js');
await import('./crawls.js');
await import('./views.js');
await import('./actions.js');
