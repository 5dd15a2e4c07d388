export { BLOCKED_SECONDS, BlockingReads } from './blocking-reads.js';
export { type ClientPurpose, RedisClients, type RedisClient } from './redis-clients.js';
export { RedisModule } from './redis.module.js';
