export { SessionMessagesModule } from './session-messages.module.js';
export { SessionMessagesWorkerModule } from './session-messages.worker.module.js';
