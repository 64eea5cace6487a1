import type { PropertyName } from './properties.js';

/**
 * Properties that are known and checked, and that no step reads yet. The manual says so, and so does the answer to a
 * request that sets one, because a switch without a wire must not look like one that works. Wire it, then strike it here.
 */
export const unreadProperties: ReadonlySet<string> = new Set<PropertyName>([]);
