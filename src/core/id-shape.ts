/** Ids and names that clients choose: of configurations, seed lists, rule files and crawls. */
export const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** A crawl id, which may be empty; the name of a rule file, or none. */
export const ID_SHAPE_OR_EMPTY = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,127})?$/;

export const ID_WORDS = '1 to 128 letters, digits, dots, dashes or underscores, a letter or digit first';
