export { SessionFence } from './scheduled-sends.js';
export { SessionFenceModule, SessionMessagesModule, SessionMessagesWorkerModule } from './session-messages.module.js';
export { MESSAGE_TYPES, readSessionMessage, SESSION_FORM_ERRORS } from './session-message.js';
export { sessionErrors } from './session-messages.errors.js';
export { hasNotLeft, WindowSends } from './session-sender.js';
export { SessionMessageSearch } from './session-reads.store.js';
export { sessionMessageTables } from './tables.js';
