export { SmsModule } from './sms.module.js';
export { smsErrors } from './sms-broadcast.js';
export { priceOf, smsChannel } from './sms.channel.js';
