export { readAttachments } from './unofficial-broadcast.js';
export { UnofficialChatModule } from './unofficial-chat.module.js';
export { unofficialChannel } from './unofficial.channel.js';
export { attachmentErrors } from './unofficial-chat.errors.js';
