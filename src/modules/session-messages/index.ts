export { SessionFence } from './dispatch/session-fence.js';
export { SessionFenceModule, SessionMessagesModule } from './session-messages.module.js';
export { SessionMessageSearch } from './persistence/session-message-search.js';
export { SessionMessagesWorkerModule } from './session-messages.worker.module.js';
export { sessionMessageTables } from './persistence/table-rules.js';
