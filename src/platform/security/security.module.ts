import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { RedisModule } from '../redis/index.js';
import {
  AddressLimits,
  BroadcastThrottler,
  RateLimitGuard,
  throttlerStorage,
  CarrierMeter,
  MessageMeter,
  UserMeter,
} from './rate-limits.js';
import { PasswordHasher, Sealer } from './secrets.js';
import { RateCounters } from './rate-counters.js';

const BROADCAST_WINDOW_MS = 60_000;

@Global()
@Module({
  imports: [RedisModule],
  providers: [RateCounters, AddressLimits, PasswordHasher, Sealer],
  exports: [RateCounters, AddressLimits, PasswordHasher, Sealer],
})
export class SecurityModule {}

@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [ENVIRONMENT, RateCounters],
      useFactory: (environment: Environment, counters: RateCounters) => ({
        throttlers: [{ ttl: BROADCAST_WINDOW_MS, limit: environment.BROADCAST_RATE_LIMIT }],
        storage: throttlerStorage(counters),
        setHeaders: false,
      }),
    }),
  ],
  providers: [BroadcastThrottler, RateLimitGuard, UserMeter, CarrierMeter, MessageMeter],
  exports: [BroadcastThrottler, RateLimitGuard, UserMeter, CarrierMeter, MessageMeter],
})
export class RateLimitsModule {}
