/** A country's letters, then digits and letters; `ENT` between them for an id that several businesses share. */
const USER_ID = /^[A-Za-z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/**
 * Whether a text is a business-scoped user id, such as `US.13491208655302741918`: how a chat contact is known that shows no
 * number (reference/requests#user-ids). No number is one.
 */
export const isUserId = (text: string): boolean => USER_ID.test(text);
