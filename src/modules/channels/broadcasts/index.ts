export { type AcceptedBroadcast, acceptedBroadcast } from './accepted-broadcast.js';
export { broadcastErrors } from './broadcasts.errors.js';
export {
  type Broadcast,
  type BroadcastFault,
  type BroadcastRefusal,
  type RawBroadcast,
  readBroadcast,
  readBroadcastContact,
} from './domain/broadcast.js';
export { UsedRoutes } from './http/used-route.js';
export { BROADCAST_EXAMPLE, BroadcastBody } from './http/broadcast.dto.js';
