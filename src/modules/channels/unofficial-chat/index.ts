export { readAttachments, unofficialChannel, attachmentErrors } from './unofficial.channel.js';
export { UnofficialChatModule } from './unofficial-chat.module.js';
