export { ConfigModule, ENVIRONMENT } from './config.module.js';
export {
  childEnvironment,
  type Environment,
  InvalidEnvironment,
  environmentSchema,
  publicAddress,
  publicOrigin,
  readEnvironment,
} from './environment.js';
