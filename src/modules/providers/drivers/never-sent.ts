import type { SendOutcome } from '../ports/message-driver.js';

/** What never left us, and never will: it is refunded. */
export const neverSent = (text: string): SendOutcome => ({ kind: 'rejected', code: null, text, submitted: false });
