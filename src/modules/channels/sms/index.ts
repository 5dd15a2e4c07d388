export { SmsModule } from './sms.module.js';
export { smsChannel, priceOf } from './sms.channel.js';
