export { ConfigModule, ENVIRONMENT } from './config.module.js';
export {
  type Environment,
  InvalidEnvironment,
  environmentSchema,
  publicAddress,
  publicOrigin,
  programPath,
  readEnvironment,
} from './environment.js';
export { readRedisUrl, type RedisAddress, type RedisTarget } from './redis-url.js';
