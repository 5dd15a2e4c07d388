import { Foundation1700000000000 } from './1700000000000-foundation.js';
import { ChatAccounts1700000001000 } from './1700000001000-chat-accounts.js';
import { Templates1700000002000 } from './1700000002000-templates.js';
import { SessionMessages1700000003000 } from './1700000003000-session-messages.js';

/** Every migration, in order. */
export const migrations = [
  Foundation1700000000000,
  ChatAccounts1700000001000,
  Templates1700000002000,
  SessionMessages1700000003000,
];
