export { UnofficialChatModule } from './unofficial-chat.module.js';
export { unofficialChannel } from './unofficial.channel.js';
