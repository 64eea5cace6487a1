/** Whether a client has given a value: an empty text counts as none, as forms send it for an empty field. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
