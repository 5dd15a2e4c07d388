export { ConfigModule, ENVIRONMENT } from './config.module.js';
export { type Environment, InvalidEnvironment, environmentSchema, readEnvironment } from './environment.js';
