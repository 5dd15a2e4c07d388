export { type AcceptedBroadcast, acceptedBroadcast, BROADCAST_EXAMPLE, BroadcastBody } from './broadcast.dto.js';
export {
  broadcastErrors,
  type BroadcastRequest,
  type BroadcastFault,
  type BroadcastRefusal,
  givenContacts,
  type BroadcastFields as RawBroadcast,
  readBroadcastRequest as readBroadcast,
  readBroadcastContact,
  UsedRoutes,
} from './broadcast.js';
