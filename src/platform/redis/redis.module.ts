import { Global, Module } from '@nestjs/common';
import { RedisClients } from './redis-clients.js';

/** Connections to Redis, for every process. */
@Global()
@Module({ providers: [RedisClients], exports: [RedisClients] })
export class RedisModule {}
