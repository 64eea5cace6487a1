import { compileDocumentTest } from '../../core/indexing/exchange-expression.js';
import type { PluginFor } from '../extension-points.js';

/** `exchange-jexl`: matches the documents for which an expression is true. */
export const jexlExchange: PluginFor<'makeExchange'> = {
  id: 'exchange-jexl',
  className: 'org.apache.nutch.exchange.jexl.JexlExchange',
  description: 'Sends documents for which an expression is true to the writers of its exchange.',
  makeExchange: (_conf, parameters) => compileDocumentTest(parameters['expr'] ?? ''),
};
