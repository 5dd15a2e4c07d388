/** What a row is about: a route, an account, or a channel as a whole. */
export const SUBJECT_KINDS = { route: 'r', account: 'a', channel: 'c' } as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[keyof typeof SUBJECT_KINDS];
