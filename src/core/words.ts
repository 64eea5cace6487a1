/** Words for comparing texts: runs of letters and digits. */
export const WORDS = /[\p{L}\p{Nd}]+/gu;
