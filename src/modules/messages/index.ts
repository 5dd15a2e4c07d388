export { type MessageRequest, readMessageNumber } from './message-request.js';
export { type AcceptedMessage, SendMessageCommand, SendMessageHandler } from './messages.commands.js';
export { messageErrors } from './messages.errors.js';
export { MessageReader } from './messages.store.js';
export { MessagesModule } from './messages.module.js';
