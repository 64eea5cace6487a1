/** Extensions of an operation that only the generator of the OpenAPI document reads; it removes them. */
export const NEEDED_SCOPE = 'x-needed-scope';
/** Bytes of the largest body that the operation reads; 0: it reads none. */
export const BODY_LIMIT = 'x-body-limit';
