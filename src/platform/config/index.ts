export { readRedisUrl, type RedisTarget } from './addresses.js';
export {
  ConfigModule,
  ENVIRONMENT,
  type Environment,
  InvalidEnvironment,
  environmentSchema,
  publicAddress,
  publicOrigin,
  publicPath,
  programPath,
  readEnvironment,
} from './environment.js';
export { type FrontEnvironment, readFrontEnvironment } from './front-environment.js';
