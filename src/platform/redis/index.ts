export {
  BLOCKED_SECONDS,
  BlockingReads,
  type ClientPurpose,
  RedisClients,
  type RedisClient,
  RedisModule,
} from './redis-clients.js';
