import { depthFilter } from './depth-filter.js';
import { wordCount } from './word-count.js';

export default [depthFilter, wordCount];
