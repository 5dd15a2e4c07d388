export { SessionFence } from './scheduled-sends.js';
export { SessionFenceModule, SessionMessagesModule, SessionMessagesWorkerModule } from './session-messages.module.js';
export { SessionMessageSearch } from './session-reads.store.js';
export { sessionMessageTables } from './tables.js';
