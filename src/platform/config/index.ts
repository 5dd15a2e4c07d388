export type { CellAddress } from './cell-variables.js';
export { ConfigModule, ENVIRONMENT } from './config.module.js';
export {
  type Environment,
  InvalidEnvironment,
  environmentSchema,
  publicAddress,
  publicOrigin,
  publicPath,
  programPath,
  readEnvironment,
} from './environment.js';
export { readRedisUrl, type RedisAddress, type RedisTarget } from './redis-url.js';
export { type FrontEnvironment, readFrontEnvironment } from './front-environment.js';
