import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { ENVIRONMENT, type Environment, publicPath } from '../../platform/config/index.js';
import { configureHttp } from '../../platform/http/index.js';
import { serveDocs } from './openapi.js';

/** Everything between the bare Nest application and `listen`; tests use it too. Needs `bodyParser: false`. */
export function configureApi(app: NestExpressApplication): Environment {
  const environment = app.get<Environment>(ENVIRONMENT);
  app.useLogger(app.get(Logger));
  configureHttp(app, environment);
  if (environment.DOCS) serveDocs(app, publicPath(environment));
  return environment;
}
