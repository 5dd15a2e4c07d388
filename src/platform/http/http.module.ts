import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { RateLimitGuard, RateLimitsModule } from '../security/index.js';
import { BodiesModule, BodyGuard } from './bodies.js';
import { FieldWarnings } from './warnings.js';
import { ErrorFilter } from './error.filter.js';
import { RouteTable } from './route-table.js';
import { validation } from './fields.js';

/** Errors, validation and limits of all routes. Guards run in module order: import authentication before this module. */
@Module({
  imports: [DiscoveryModule, RateLimitsModule, BodiesModule],
  providers: [
    RouteTable,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useFactory: validation },
    { provide: APP_GUARD, useExisting: RateLimitGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
    { provide: APP_GUARD, useClass: FieldWarnings },
  ],
  exports: [RouteTable, BodiesModule],
})
export class HttpModule {}
