export { BLOCKED_SECONDS, BlockingReads, RedisClients, type RedisClient } from './redis-clients.js';
export { RedisCounts, RedisLink } from './redis-link.js';
export { RedisModule } from './redis.module.js';
