export { type AcceptedBroadcast, acceptedBroadcast, BROADCAST_EXAMPLE, BroadcastBody } from './broadcast.dto.js';
export {
  broadcastErrors,
  type Broadcast,
  type BroadcastFault,
  type BroadcastRefusal,
  type RawBroadcast,
  readBroadcast,
  readBroadcastContact,
  UsedRoutes,
} from './broadcast.js';
