import { Global, Module } from '@nestjs/common';
import { RedisClients } from './redis-clients.js';
import { RedisLink } from './redis-link.js';

@Global()
@Module({ providers: [RedisClients, RedisLink], exports: [RedisClients, RedisLink] })
export class RedisModule {}
