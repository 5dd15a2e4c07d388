export { SmsModule } from './sms.module.js';
export { smsChannel } from './sms.channel.js';
