/** Tables that there may be. */
export const MOST_TABLES = 20;
/** Rules of one table. */
export const MOST_RULES = 1_000;
/** Prefixes, accounts or categories of one rule. */
export const MOST_OF_A_RULE = 100;
/** Prefixes of all tables together: every process keeps them in memory. */
export const MOST_PREFIXES = 200_000;
/** Routes of one rule. */
export const MOST_ROUTES = 5;
/** Digits of a prefix: no number by E.164 has more. */
export const LONGEST_PREFIX = 15;
/** Characters of a category. */
export const LONGEST_CATEGORY = 32;
/** Candidates that an explanation shows. */
export const MOST_CANDIDATES = 100;
