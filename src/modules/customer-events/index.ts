export {
  type CustomerEvent,
  type CustomerEventSink,
  FEATURE_EVENT_TYPES,
  STAFF_EVENT_TYPES,
  type Subscriptions,
  CustomerEvents,
  CustomerEventsModule,
} from './customer-events.js';
