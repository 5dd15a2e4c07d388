export {
  type CustomerEvent,
  type CustomerEventSink,
  FEATURE_EVENT_TYPES,
  STAFF_EVENT_TYPES,
  type Subscriptions,
} from './customer-event.js';
export { CustomerEvents } from './customer-events.js';
export { CustomerEventsModule } from './customer-events.module.js';
