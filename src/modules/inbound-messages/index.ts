export { InboundAlarms, type RouteCount } from './reception/inbound-alarms.store.js';
export {
  InboundMessagesModule,
  InboundMessagesWorkerModule,
  InboundReceptionModule,
} from './inbound-messages.module.js';
export { inboundMessageTables } from './tables.js';
