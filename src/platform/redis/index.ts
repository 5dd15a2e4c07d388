export { BLOCKED_SECONDS, BlockingReads, RedisClients, type RedisClient } from './redis-clients.js';
export { RedisLink } from './redis-link.js';
export { RedisModule } from './redis.module.js';
