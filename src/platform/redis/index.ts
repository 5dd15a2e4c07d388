export { BLOCKED_SECONDS, BlockingReads, RedisClients, type RedisClient, RedisModule } from './redis-clients.js';
