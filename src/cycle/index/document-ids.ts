import type { Conf } from '../../core/conf/properties.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { makeUrlRules } from '../../plugin/url-rules.js';

/** The ids of the documents of pages, by their row keys: with `normalize` those of INDEX with `normalize`. */
export function documentIds(conf: Conf, normalize: boolean | undefined): (key: string) => string {
  if (normalize !== true) return (key) => key;
  const rules = makeUrlRules(conf);
  return (key) => {
    const admitted = rules.admit(unreverseUrl(key), 'indexer', { normalize, filter: false });
    return 'rejected' in admitted ? key : admitted.key;
  };
}
