export { UnofficialChatModule } from './unofficial-chat.module.js';
export { UnofficialChatWorkerModule } from './unofficial-chat.worker.module.js';
export { unofficialChannel } from './unofficial.channel.js';
