import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { RateLimitInterceptor, RateLimitsModule } from '../security/index.js';
import { ErrorFilter } from './error.filter.js';
import { RouteTable } from './route-table.js';
import { validation } from './validation.js';

/** Errors, validation and limits of every route. `configureHttp` adds what works before routing. */
@Module({
  imports: [DiscoveryModule, RateLimitsModule],
  providers: [
    RouteTable,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useFactory: validation },
    { provide: APP_INTERCEPTOR, useExisting: RateLimitInterceptor },
  ],
  exports: [RouteTable],
})
export class HttpModule {}
