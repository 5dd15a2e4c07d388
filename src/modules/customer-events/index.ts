export {
  CUSTOMER_EVENT_TYPES,
  type CustomerEvent,
  type CustomerEventSink,
  type CustomerEventType,
  type Subscriptions,
  isCustomerEventType,
} from './customer-event.js';
export { CustomerEvents } from './customer-events.js';
export { CustomerEventsModule } from './customer-events.module.js';
