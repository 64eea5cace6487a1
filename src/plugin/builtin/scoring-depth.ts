import type { Conf } from '../../core/conf/properties.js';
import { type DepthProps, limitDepth, sortByDepth } from '../../core/score/depth.js';
import { compileLinear } from '../../core/url/linear-regex.js';
import { type PluginFor, withRules } from '../extension-points.js';

const PROPERTY = 'scoring.depth.override.pattern';

function propsOf(conf: Conf): DepthProps {
  const max = conf['scoring.depth.max'];
  const text = conf[PROPERTY].trim();
  if (text === '') return { max, override: null };
  const position = { rule: { number: 1, text }, offset: 0 };
  const pattern = withRules(PROPERTY, text, (expression) => compileLinear(expression, position));
  const override = conf['scoring.depth.max.override'].trim();
  return { max, override: override === '' ? null : { pattern, max: Number(override) } };
}

/** `scoring-depth`: limits the number of links from a seed (`scoring.depth.max`). */
export const depthScoring: PluginFor<'makeDistribute' | 'makeSortValue'> = {
  id: 'scoring-depth',
  className: 'org.apache.nutch.scoring.depth.DepthScoringFilter',
  description: 'Follows links up to a maximum depth, and generates pages near their seeds first.',
  makeDistribute: (conf) => limitDepth(propsOf(conf)),
  makeSortValue: (conf) => sortByDepth(propsOf(conf)),
};
