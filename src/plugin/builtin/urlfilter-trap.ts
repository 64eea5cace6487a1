import { trapShape } from '../../core/trap/trap-shape.js';
import type { PluginFor } from '../extension-points.js';

/** `urlfilter-trap`: drops URLs that have the shape of a trap (`trap.url.*`, `trap.path.*`, `trap.query.*`, `trap.calendar.*`). */
export const trapFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-trap',
  className: 'orbweaver.urlfilter.trap.TrapURLFilter',
  description: 'Drops URLs that have the shape of a trap: endless calendars, parameters, paths.',
  makeFilter: (conf) => {
    const year = new Date().getUTCFullYear();
    return (url) => {
      const rule = trapShape(url, conf, year);
      return { accepted: rule === null, rule };
    };
  },
};
