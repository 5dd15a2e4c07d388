export { AccountNotices, type Notice, NOTICE_TYPES, type Notified } from './account-notices.js';
export { NoticesModule } from './notices.module.js';
