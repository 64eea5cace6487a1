/** Extension of an operation in the OpenAPI document: a GET that changes state, which has no HEAD. */
export const CHANGES_STATE = 'x-changes-state';
