/** Statuses whose Location is followed (RFC 9110 §15.4). 300 and 304 are none. */
export const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether a status is of class 3xx, Redirection: also 300 and 304. */
export const isRedirection = (status: number): boolean => status >= 300 && status < 400;
