import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { ENVIRONMENT, type FrontEnvironment } from '../../platform/config/index.js';
import { createLogger, Drain, Metrics, ROOT_LOGGER } from '../../platform/observability/index.js';
import { Forwarder } from '../../platform/outbound/index.js';
import { AccountsModule } from '../accounts/index.js';
import { CellDirectory } from '../cell-directory/index.js';
import { CellChooser } from './cell-chooser.js';
import { CellList, FRONT_ENVIRONMENT } from './cell-list.js';
import { CellLookups } from './cell-lookups.js';
import { FrontLog, FrontRequests, WholeBodies } from './front-requests.js';
import { HoldingsController } from './holdings.controller.js';
import { FindHoldingsHandler } from './holdings.queries.js';
import { OwnPages } from './own-pages.js';

@Module({
  imports: [CqrsModule, AccountsModule],
  controllers: [HoldingsController],
  providers: [FindHoldingsHandler],
})
export class CellsModule {}

/** The front has its own environment, and no database except the directory. */
@Module({})
export class FrontModule {
  static of(environment: FrontEnvironment): DynamicModule {
    const logger = createLogger(environment);
    const provided = [
      { provide: FRONT_ENVIRONMENT, useValue: environment },
      { provide: ENVIRONMENT, useValue: environment },
      { provide: ROOT_LOGGER, useValue: logger },
    ];
    const logging = LoggerModule.forRoot({
      pinoHttp: { logger: logger satisfies Logger, autoLogging: false },
      forRoutes: [],
    });
    return {
      module: FrontModule,
      imports: [logging],
      providers: [
        ...provided,
        Metrics,
        Drain,
        Forwarder,
        CellDirectory,
        CellList,
        CellLookups,
        CellChooser,
        WholeBodies,
        OwnPages,
        FrontLog,
        FrontRequests,
      ],
    };
  }
}
