import { Global, Module } from '@nestjs/common';
import { OutboundClient } from './outbound-client.js';

/** Gives every module the one guarded way out. */
@Global()
@Module({ providers: [OutboundClient], exports: [OutboundClient] })
export class OutboundModule {}
