export { ConfigModule, ENVIRONMENT } from './config.module.js';
export {
  type Environment,
  InvalidEnvironment,
  environmentSchema,
  publicAddress,
  readEnvironment,
} from './environment.js';
